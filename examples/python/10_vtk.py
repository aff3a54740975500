# SPDX-License-Identifier: Apache-2.0
"""10: a VTK grid that shares memory with the world: it moves as the world steps, with nothing copied between.

Coordinates, velocities and stresses are the world's arrays; any VTK filter, ParaView's among them, takes the grid as it is.
"""
import limber
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import VTK_TETRA, vtkCellArray, vtkUnstructuredGrid


def grid_of(world):
    points = vtkPoints()
    points.SetData(numpy_to_vtk(world.x, deep=False))
    cells = vtkCellArray()
    cells.SetData(4, numpy_to_vtkIdTypeArray(np.ascontiguousarray(world.tets, dtype=np.int64).ravel(), deep=True))
    grid = vtkUnstructuredGrid()
    grid.SetPoints(points)
    grid.SetCells(VTK_TETRA, cells)
    for data, name, values in ((grid.GetPointData(), "velocity", world.v), (grid.GetCellData(), "stress", world.stress)):
        array = numpy_to_vtk(values, deep=False)
        array.SetName(name)
        data.AddArray(array)
    return grid


scene = limber.Scene(time={"step": 0.01, "end": 1})
scene.material("rubber", kind="corotated", young="500 kPa", poisson=0.4)
scene.body("bar", shape="beam", size=[1, 0.2, 0.2], cells=[10, 2, 2], material="rubber")
scene.pin("bar", select={"side": "x-"})
world = scene.world()
grid = grid_of(world)
before = grid.GetPoint(int(world.select("bar", side="x+")[0]))
world.step(40)
grid.GetPoints().Modified()  # VTK does not know that its memory was written to
after = grid.GetPoint(int(world.select("bar", side="x+")[0]))
lo, hi = grid.GetCellData().GetArray("stress").GetRange()
print(f"the grid's tip went from y = {before[1]:.3f} m to {after[1]:.3f} m; stress {lo:.0f} to {hi:.0f} Pa")
assert after[1] == world.x[world.select("bar", side="x+")[0], 1] and after[1] < before[1] - 0.05
