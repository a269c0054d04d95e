# Read by CMake when it configures llama.cpp (CMAKE_PROJECT_INCLUDE in .cargo/config.toml). Nearly
# all of an evaluation's time goes into ggml's kernels (the target ggml-cpu), which keep their
# optimisation. The rest builds graphs and reads vocabularies: most of what its files take to
# compile goes into headers that they share, so they are compiled many at a time, and with -O1.

# Shared libraries, where the feature kernel-variants makes them, find each other in their own folder.
set(CMAKE_INSTALL_RPATH "$ORIGIN")

# Names them so that no other package's are taken for them: the loader gives a process that already
# has a libllama.so.0, of whichever llama.cpp, no second one.
function(evenhand_name_libraries)
    foreach(target llama ggml ggml-base)
        if(TARGET ${target})
            set_target_properties(${target} PROPERTIES SOVERSION evenhand)
        endif()
    endforeach()
endfunction()

# Compiles the sources of llama that match a pattern as one: all but those that define a name that
# another one of them has.
function(evenhand_join name pattern but)
    get_target_property(sources llama SOURCES)
    list(FILTER sources INCLUDE REGEX "${pattern}")
    list(FILTER sources EXCLUDE REGEX "${but}")
    get_target_property(folder llama SOURCE_DIR)
    list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
    set_source_files_properties(${sources} TARGET_DIRECTORY llama
        PROPERTIES SKIP_UNITY_BUILD_INCLUSION OFF UNITY_GROUP "${name}")
endfunction()

# Leaves those of the kernels' variants without code that no wheel has (scripts/collect-kernels).
function(evenhand_drop_variants)
    file(WRITE "${CMAKE_BINARY_DIR}/no_kernels.c" "")
    foreach(variant ${ARGN})
        foreach(target ggml-cpu-${variant} ggml-cpu-${variant}-feats)
            if(TARGET ${target})
                set_property(TARGET ${target} PROPERTY SOURCES "${CMAKE_BINARY_DIR}/no_kernels.c")
            endif()
        endforeach()
    endforeach()
endfunction()

# GCC 12.2 drops the stores that fill AMX's tile configuration, and the first tile instruction ends the
# program (docs/design/embedded-engine.md). Without the removal of dead stores it is right.
function(evenhand_keep_tile_configuration)
    foreach(target ggml-cpu ggml-cpu-sapphirerapids)
        if(TARGET ${target} AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            get_target_property(sources ${target} SOURCES)
            list(FILTER sources INCLUDE REGEX "amx/mmq[.]cpp$")
            if(NOT sources)
                message(FATAL_ERROR "scripts/llama-cpp.cmake: ${target} has no amx/mmq.cpp; see what fills AMX's tile configuration now")
            endif()
            get_target_property(folder ${target} SOURCE_DIR)
            list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
            set_source_files_properties(${sources} TARGET_DIRECTORY ${target}
                PROPERTIES COMPILE_OPTIONS -fno-dse)
        endif()
    endforeach()
endfunction()

function(evenhand_lighten)
    evenhand_name_libraries()
    evenhand_keep_tile_configuration()
    evenhand_drop_variants(x64 sandybridge ivybridge piledriver cannonlake cascadelake cooperlake)
    if(TARGET llama AND NOT MSVC)
        target_compile_options(llama PRIVATE -O1)
        target_compile_options(ggml-base PRIVATE -O1)
        set_target_properties(llama PROPERTIES UNITY_BUILD_MODE GROUP)
        evenhand_join(core-a "^llama[^/]*[.]cpp$" "^llama-[g-z]")
        evenhand_join(core-b "^(llama-[g-z]|unicode)[^/]*[.]cpp$" "dsv4")
        evenhand_join(models-a "models/[a-d][^/]*[.]cpp$" "deepseek4")
        evenhand_join(models-b "models/[e-g][^/]*[.]cpp$" "^$")
        evenhand_join(models-c "models/[h-m][^/]*[.]cpp$" "^$")
        evenhand_join(models-d "models/[n-z][^/]*[.]cpp$" "^$")
    endif()
endfunction()
if(NOT CMAKE_VERSION VERSION_LESS 3.19 AND CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    # `ggml_commit()` returns it: the program uses AMX only where it knows that this file was read.
    # Without a path of git nothing else is put in its place.
    set(GIT_EXE "" CACHE STRING "" FORCE)
    set(LLAMA_BUILD_COMMIT evenhand-tiles)
    cmake_language(DEFER CALL evenhand_lighten)
endif()
