# SPDX-License-Identifier: Apache-2.0
# Debian packages, by cpack in a build folder: limber, liblimber0, liblimber-dev, python3-limber and limber-doc. They are for any
# machine, LIMBER_LEVEL=baseline, and made in somebody's name:
#   cmake --preset portable -DCMAKE_INSTALL_PREFIX=/usr -DLIMBER_PYTHON=ON -DLIMBER_PACKAGER="Name <address>" && cmake --build --preset portable
#   tools/debian.sh build/portable out/packages
set(LIMBER_PACKAGER "" CACHE STRING "Name <address> that Debian packages are made by; cpack makes none without")
if(NOT LIMBER_PACKAGER)
  return()
endif()

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/limber-doc/docs COMPONENT doc)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/limber-doc COMPONENT doc FILES_MATCHING PATTERN "*.cpp" PATTERN "*.py")

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/changelog CONTENT "limber (@PROJECT_VERSION@) unstable; urgency=medium

  * See CHANGELOG.md.

 -- @LIMBER_PACKAGER@  @now@
" @ONLY)
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/debian/changelog COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/copyright CONTENT "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: limber

Files: *
Copyright: 2026, the authors of limber
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text of this licence is in /usr/share/common-licenses/Apache-2.0.
" @ONLY)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME limber)
set(CPACK_PACKAGE_CONTACT "${LIMBER_PACKAGER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${LIMBER_PACKAGER}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What cpack would make of its own calls ldconfig by hand.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/debian/shlibs CONTENT "liblimber 0 liblimber0 (>= @PROJECT_VERSION@)\n" @ONLY)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/triggers;${PROJECT_BINARY_DIR}/debian/shlibs")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL)
# component, package, section, last line of the description, what it depends on beside what is found by itself
function(limber_package component package section line depends)
  string(TOUPPER ${component} C)
  install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${PROJECT_BINARY_DIR}/debian/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${C}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${C}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${C}_DESCRIPTION "${about}\n.\n${line}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${C}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
endfunction()
set(about "Scene files in, moving bodies out: many solvers for one scene, contact with\nfriction, the same bits on any number of threads.")
limber_package(program limber science "This is the program." "")
limber_package(runtime liblimber0 libs "This is the shared library." "")
limber_package(dev liblimber-dev libdevel "These are headers, archive, and what CMake and pkg-config need."
  "liblimber0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libtbb-dev, libtomlplusplus-dev, libpugixml-dev, libpng-dev, zlib1g-dev, libfmt-dev, libxxhash-dev, libmetis-dev")
limber_package(doc limber-doc doc "These are documents and examples." "")
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
if(build_python)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  limber_package(python python3-limber python "This is the module for Python, with NumPy."
    "python3 (>= 3.${Python3_VERSION_MINOR}~), python3 (<< 3.${next_minor}), python3-numpy")
endif()
include(CPack)
