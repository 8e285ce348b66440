// Maximum number of multiplications of one rank.
#pragma once

#include <algorithm>

#include "allport/base/error.h"

namespace allport::model {

/// W: the caller's value, or if that is 0 all products spread evenly over p ranks; at most all products.
inline double checked_most(double products, double p, double most_products) {
  ensure(most_products == 0.0 || most_products >= products / p * (1.0 - 1e-12), "most_products", most_products,
         "at least the mean rank's multiplications, or 0 if work is spread evenly");
  return most_products > 0.0 ? std::min(most_products, products) : products / p;
}

}  // namespace allport::model
