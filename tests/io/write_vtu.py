# SPDX-License-Identifier: Apache-2.0
"""Writes one mesh in many encodings with VTK and meshio: python3 write_vtu.py FOLDER.

Prints the names of the files. Exit code 77: a library is not installed.
"""
import itertools
import os
import sys

POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3], [1, 1, 1]]
TETS = [[0, 1, 2, 3], [1, 2, 3, 4]]


def grid():
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    import numpy

    result = vtkUnstructuredGrid()
    points = vtkPoints()
    points.SetData(numpy_to_vtk(numpy.array(POINTS, dtype=float), deep=True))
    result.SetPoints(points)
    result.InsertNextCell(5, 3, [0, 1, 2])  # a triangle, to be passed over
    for tet in TETS:
        result.InsertNextCell(10, 4, tet)
    return result


def with_vtk(folder):
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

    modes = ("Ascii", "Binary", "Appended")
    for mode, zlib, header, big, base64 in itertools.product(
        modes, (False, True), (32, 64), (False, True), (False, True)
    ):
        writer = vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid())
        getattr(writer, f"SetDataModeTo{mode}")()
        writer.SetCompressorTypeToZLib() if zlib else writer.SetCompressorTypeToNone()
        writer.SetBlockSize(64)  # several blocks even here
        writer.SetHeaderTypeToUInt64() if header == 64 else writer.SetHeaderTypeToUInt32()
        writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
        writer.SetEncodeAppendedData(base64)
        name = f"vtk_{mode}_{zlib:d}_{header}_{big:d}_{base64:d}.vtu"
        writer.SetFileName(os.path.join(folder, name))
        assert writer.Write()
        print(name)


def with_vtk_legacy(folder):
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridWriter

    for version, binary in itertools.product((42, 51), (False, True)):
        writer = vtkUnstructuredGridWriter()
        writer.SetInputData(grid())
        writer.SetFileVersion(version)
        writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
        name = f"legacy_{version}_{binary:d}.vtk"
        writer.SetFileName(os.path.join(folder, name))
        assert writer.Write()
        print(name)


def with_meshio(folder):
    import meshio

    mesh = meshio.Mesh(POINTS, [("triangle", [[0, 1, 2]]), ("tetra", TETS)])
    for binary, compression in ((False, None), (True, None), (True, "zlib")):
        name = f"meshio_{binary:d}_{compression}.vtu"
        meshio.vtu.write(os.path.join(folder, name), mesh, binary, compression)
        print(name)
    tets = meshio.Mesh(POINTS, [("tetra", TETS)])  # its Gmsh 4.1 writer takes one cell type
    for file_format, binary in itertools.product(("gmsh", "gmsh22"), (False, True)):
        name = f"meshio_{file_format}_{binary:d}.msh"
        meshio.write(os.path.join(folder, name), tets, file_format, binary=binary)
        print(name)
    for file_format, binary in itertools.product(("vtk42", "vtk51"), (False, True)):
        name = f"meshio_{file_format}_{binary:d}.vtk"
        meshio.write(os.path.join(folder, name), tets, file_format, binary=binary)
        print(name)
    for file_format, suffix in (
        ("medit", "mesh"),
        ("medit", "meshb"),
        ("tetgen", "node"),
        ("abaqus", "inp"),
    ):
        name = f"meshio.{suffix}"
        meshio.write(os.path.join(folder, name), tets, file_format)
        print(name)


if __name__ == "__main__":
    try:
        with_vtk(sys.argv[1])
        with_vtk_legacy(sys.argv[1])
        with_meshio(sys.argv[1])
    except ImportError as e:
        print(e, file=sys.stderr)
        sys.exit(77)
