# SPDX-License-Identifier: Apache-2.0
"""Reads a VTU file with meshio or VTK and prints it as JSON: python3 read_vtu.py meshio|vtk FILE.

Exit code 77: the library is not installed.
"""
import json
import sys


def with_meshio(path):
    import meshio

    mesh = meshio.read(path)
    cells = [c for block in mesh.cells if block.type == "tetra" for c in block.data.tolist()]
    cell_data = {name: blocks[0].tolist() for name, blocks in mesh.cell_data.items()}
    point_data = {name: values.tolist() for name, values in mesh.point_data.items()}
    return mesh.points.tolist(), cells, point_data, cell_data


def with_vtk(path):
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    cells = []
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        assert grid.GetCellType(i) == 10, "not a tetrahedron"
        cells.append([cell.GetPointId(k) for k in range(4)])

    def arrays(data):
        return {
            data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).tolist()
            for i in range(data.GetNumberOfArrays())
        }

    points = vtk_to_numpy(grid.GetPoints().GetData()).tolist()
    return points, cells, arrays(grid.GetPointData()), arrays(grid.GetCellData())


def main():
    library, path = sys.argv[1:]
    try:
        result = {"meshio": with_meshio, "vtk": with_vtk}[library](path)
    except ImportError as e:
        print(e, file=sys.stderr)
        return 77
    # repr of a Python float is the shortest text with the same bits, so nothing is lost.
    json.dump(dict(zip(("points", "cells", "point_data", "cell_data"), result)), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
