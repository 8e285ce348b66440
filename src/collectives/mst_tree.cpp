#include "mst_tree.h"

#include <algorithm>
#include <map>

#include "base/recent.h"

namespace allport {
namespace {

class Making {
 public:
  explicit Making(MstShape const& shape) : shape_(shape) {}

  MstTree made(Rank root) {
    (void)part(shape_.whole(root));
    return std::move(tree_);
  }

 private:
  int part(MstBox const& box) {
    auto const index = node(box);
    tree_.nodes[at(index)].is_part = true;
    return index;
  }

  int node(MstBox box) {
    auto const outline = shape_.outline(box);
    if (auto const found = nodes_.find(outline); found != nodes_.end()) return found->second;
    MstNode made;
    made.box = box;
    for (auto const& part : shape_.cut(box)) {
      made.branches.push_back({part, shape_.size(part.box), this->part(part.box)});
    }
    if (!made.branches.empty()) {
      made.rest = node(box);
      auto const [form, is_new] = forms_.try_emplace(form_of(made), static_cast<int>(forms_.size()));
      if (is_new) tree_.forms.push_back(static_cast<int>(tree_.nodes.size()));
      made.form = form->second;
    }
    auto const index = static_cast<int>(tree_.nodes.size());
    tree_.nodes.push_back(std::move(made));
    return nodes_[outline] = index;
  }

  [[nodiscard]] MstStepForm form_of(MstNode const& node) const {
    MstStepForm form{static_cast<int>(node.branches.size()), {}};
    for (auto const& [part, ranks, to] : node.branches) {
      auto& far = form.hops[at(part.axis)];
      far = std::max(far, shape_.hops(part));
    }
    return form;
  }

  MstShape const& shape_;
  MstTree tree_;
  std::map<MstOutline, int> nodes_;
  std::map<MstStepForm, int> forms_;
};

}  // namespace

std::size_t MstTree::messages() const {
  std::size_t sum = 0;
  each_step(whole(), [&](MstNode const& node) { sum += node.branches.size(); });
  return sum;
}

std::shared_ptr<MstTree const> mst_tree(MstShape const& shape, Rank root) {
  using Key = std::pair<MstShape, MstOutline>;
  static Recent<Key, MstTree> recent(64);
  return recent.get({shape, shape.outline(shape.whole(root))}, [&] { return Making(shape).made(root); });
}

}  // namespace allport
