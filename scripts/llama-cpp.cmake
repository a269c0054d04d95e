# Read by CMake when it configures llama.cpp (CMAKE_PROJECT_INCLUDE in .cargo/config.toml). Nearly all of an evaluation's time goes
# into ggml's kernels, which keep their optimisation; the rest builds graphs and reads vocabularies, and takes long to optimise.
function(evenhand_lighten)
    if(TARGET llama AND NOT MSVC)
        target_compile_options(llama PRIVATE -O1)
    endif()
endfunction()
if(NOT CMAKE_VERSION VERSION_LESS 3.19 AND CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    cmake_language(DEFER CALL evenhand_lighten)
endif()
