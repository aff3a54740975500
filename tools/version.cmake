# SPDX-License-Identifier: Apache-2.0
# Writes version.cpp at build time, and only when it changed, so that the commit in --version is never stale.
set(COMMIT "unknown")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(COMMIT "unknown")
  endif()
endif()
configure_file(${IN} ${OUT} @ONLY)
