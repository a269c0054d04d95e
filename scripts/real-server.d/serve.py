"""serve.py MODEL.gguf: llama.cpp's own OpenAI-compatible server, in process, on a free port of 127.0.0.1.

Prints the port as one line and serves until stdin is closed, so that it never outlives a test that was killed.
"""

import socket
import sys

import xllamacpp


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def parameters(model, port):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    # One sequence at a time and one thread: the replies depend on neither load nor order. Several
    # threads would wait for one another without sleep, beside the tests that have the other cores.
    params.n_parallel = 1
    params.n_ctx = 4096
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    return params


def main():
    port = free_port()
    # The name keeps the server alive.
    server = xllamacpp.Server(parameters(sys.argv[1], port))
    print(port, flush=True)
    sys.stdin.read()
    del server


main()
