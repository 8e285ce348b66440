# The entry point of every task. CI calls the same targets.
#
#   make MPI=mpich TARGET    the MPI library to use: auto (default), openmpi, mpich, path
#   make JOBS=4 TARGET       parallel jobs; all cores by default
.DEFAULT_GOAL := help
.PHONY: help setup environment dist demo test test-release test-python test-mpich test-asan test-tsan test-suites wheel test-wheel check format bench figures docs clean distclean

export MPI JOBS

help: ## this list
	@echo "make TARGET, where TARGET is one of"
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## what a bare machine lacks, .venv, the C++ core and .venv/bin/allport
	@tools/setup

environment: # what check needs: tools, but nothing built
	@tools/setup packages venv

demo: ## read handwritten digits: solve a real kernel system on 16 and 12 ranks, and check it
	@tools/setup packages venv module ready
	@.venv/bin/python tools/demo.py

test: ## every test: release, Python, a second MPI, sanitizers
	@tools/setup packages testing venv
	@tools/test

test-release: ## the C++ tests only, optimised
	@tools/setup packages venv
	@tools/test release

test-python: ## the Python tests only
	@tools/setup packages testing venv
	@tools/test python

test-mpich: ## the C++ tests on MPICH only
	@tools/setup packages venv
	@tools/test mpich

test-asan: ## the C++ tests under the sanitizers only
	@tools/setup packages venv
	@tools/test asan

test-tsan: ## comm, the MPI drop-in and the bindings under the thread sanitizer only
	@tools/setup packages venv
	@tools/test tsan

test-suites: setup ## mutated inputs, storms of multicasts, factorizations under delays, modules' sanitizers that make test leaves out, others' own tests (hours)
	@tools/mutation-suite
	@tools/storm-suite
	@tools/delay-suite
	@tools/test apart rest long
	@tools/mpi4py-suite openmpi
	@tools/mpi4py-suite mpich
	@tools/scalapack-suite

dist: ## a source tarball that builds without Python, in dist: what git has, and what is made from it
	@tools/setup packages venv module
	@tools/dist

wheel: environment ## a wheel that needs no compiler where it is installed, for every MPI library, in dist
	@tools/wheel

test-wheel: environment ## that wheel, in empty environments with each MPI library
	@tools/test-wheel

check: environment ## modules and layers, headers, formatting, lint
	@tools/check

format: environment ## writes what check asks of the formatting
	@tools/format

bench: setup ## the benchmarks, with their tables
	@tools/bench

figures: setup ## published figures made again from models, simulations and kept runs, in build/figures (a few minutes)
	@.venv/bin/python studies all -o build/figures

docs: setup ## the site, in build/site: tutorials, reference, concepts, figures
	@tools/setup docs
	@tools/docs

clean: ## removes what was built
	rm -rf build

distclean: clean ## removes .venv too
	rm -rf .venv
