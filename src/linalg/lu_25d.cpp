#include "lu_team.h"

namespace allport::lu_detail {

template <class T>
Found factor_25d(Team&, Order const&, View<T> const&) {
  throw Error::argument("algorithm", "2.5d", "2d");
}

#define ALLPORT_25D(T) template Found factor_25d(Team&, Order const&, View<T> const&);
ALLPORT_FOR_SCALARS(ALLPORT_25D)

}  // namespace allport::lu_detail
