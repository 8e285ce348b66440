// The generalised minimum-spanning-tree algorithms of Chan06: boxes that are cut into several parts a step, one for
// every link direction that a node may drive.
#pragma once

#include "allport/collectives/trees.h"

namespace allport {

/// How many parts a box of N axes longer than 1 falls into per step.
enum class MstForm {
  one_side,    ///< N + 1: one slab off each axis, on the root's longer side
  both_sides,  ///< 2N + 1: a slab off both ends of each axis
};

/// One tree. Boxes are cut along their longest axis first, in slabs of about the same number of nodes; a slab's root
/// lies on its parent's line along the axis that was cut. On an axis that wraps the first cut is centred on the root. A
/// box of one node is cut like a further axis, its ranks. Messages go over one link where they can, else they are
/// routed along their axis.
/// @pre 0 <= root < machine.ranks()
[[nodiscard]] TreeSet mst_trees(Machine const& machine, Rank root, MstForm form);

/// Steps until the last rank has the data.
[[nodiscard]] int mst_rounds(Machine const& machine, Rank root, MstForm form);

/// Streams the message down the tree; of two messages over the same link direction of a rank, the earlier step's first.
[[nodiscard]] Schedule mst_bcast(Machine const& machine, MstForm form, std::string name, Contract const& contract,
                                 Cut cut);

/// Down the tree go only the blocks of the part that a rank stands for, as one message a part, gathered in scratch
/// where they do not lie side by side.
[[nodiscard]] Schedule mst_scatter(Machine const& machine, MstForm form, std::string name, Contract const& contract,
                                   Cut cut);
/// The reverse.
[[nodiscard]] Schedule mst_gather(Machine const& machine, MstForm form, std::string name, Contract const& contract,
                                  Cut cut);

}  // namespace allport
