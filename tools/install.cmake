# SPDX-License-Identifier: Apache-2.0
# The library as other projects see it: limber::limber, static and shared, installed or as a subdirectory. Components: dev
# (headers, archive, CMake and pkg-config files), runtime (the shared library), program (limber and its scenes).
include(CMakePackageConfigHelpers)

# Of the archive's objects: nothing is compiled twice. Of an inline function that was compiled into several of them the first
# one is linked: lightly optimised ones come first, as where the archive is linked to a program, for the same bits.
set(shared_objects $<TARGET_OBJECTS:limber_light>)
if(build_view)
  list(APPEND shared_objects $<TARGET_OBJECTS:limber_view>)
endif()
list(APPEND shared_objects $<TARGET_OBJECTS:limber> $<TARGET_OBJECTS:limber_kernels>)
add_library(limber_shared SHARED ${shared_objects} ${linked_cuda})
target_include_directories(limber_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
target_compile_features(limber_shared INTERFACE cxx_std_20)
target_link_libraries(limber_shared PRIVATE ${LIMBER_LINKED})
target_link_options(limber_shared PRIVATE -Wl,--no-undefined -Wl,--version-script=${PROJECT_SOURCE_DIR}/tools/limber.map)
set_target_properties(limber_shared PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/tools/limber.map)
set_target_properties(limber_shared PROPERTIES OUTPUT_NAME limber VERSION ${PROJECT_VERSION} SOVERSION 0
  LINKER_LANGUAGE CXX EXPORT_NAME shared)
set_target_properties(limber PROPERTIES EXPORT_NAME static)
if(LIMBER_SANITIZE)
  set_target_properties(limber_shared PROPERTIES EXCLUDE_FROM_ALL ON)  # sanitizers come with the program
endif()
if(BUILD_SHARED_LIBS)
  add_library(limber::limber ALIAS limber_shared)
else()
  add_library(limber::limber ALIAS limber)
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
  set_target_properties(limber_shared PROPERTIES EXCLUDE_FROM_ALL ON)  # built where it is linked
  return()
endif()

# All that may be included: limber/limber.h and what it includes, none of which includes anything but the standard library.
set(LIMBER_PUBLIC_HEADERS limber.h
  api/array.h api/control.h api/report.h api/run.h api/run_reader.h api/scene.h api/version.h api/view.h api/world.h
  core/errors.h core/export.h core/numbers.h scene/format/document.h)
foreach(header ${LIMBER_PUBLIC_HEADERS})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/limber/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/limber/${folder}
    COMPONENT dev)
endforeach()
install(TARGETS limber limber_shared EXPORT limberTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${cmake_folder} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/limberConfig.cmake.in ${PROJECT_BINARY_DIR}/limberConfig.cmake
  INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO)
# While the first number is 0 the second one says what fits together.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/limberConfig.cmake ${PROJECT_BINARY_DIR}/limberConfigVersion.cmake
  DESTINATION ${cmake_folder} COMPONENT dev)
# Relative to where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(${PROJECT_SOURCE_DIR}/tools/limber.pc.in ${PROJECT_BINARY_DIR}/limber.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
