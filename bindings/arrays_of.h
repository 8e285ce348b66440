// Vectors of C++ as numpy arrays that own them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

#include "bindings.h"

namespace allport::python {

template <class T>
nb::object array_of(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  auto* const data = owned.get();
  auto owner = nb::capsule(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data->data(), {data->size()}, owner).cast();
}

/// part(record) of all records, as T.
template <class T, class Record, class Part>
nb::object column_of(std::vector<Record> const& records, Part&& part) {
  std::vector<T> values;
  values.reserve(records.size());
  for (auto const& r : records) values.push_back(static_cast<T>(part(r)));
  return array_of(std::move(values));
}

}  // namespace allport::python
