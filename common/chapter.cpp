#include "chapter.hpp"

#include "errors.hpp"
#include "numbers.hpp"
#include "options.hpp"

#include <algorithm>
#include <cstdio>

namespace ladder {

std::string refusal(const Variant& variant, const Shape& shape) {
  if (variant.refuses)
    if (std::string text = variant.refuses(shape); !text.empty()) return text;
  return variant.geometry ? broken_limit(variant.geometry(shape)) : "";
}

std::vector<Variant> chosen(const Chapter& chapter, const Options& options) {
  if (options.variants.empty()) return chapter.variants;
  std::vector<Variant> variants;
  for (const std::string& name : options.variants) {
    const auto found = std::find_if(chapter.variants.begin(), chapter.variants.end(),
                                    [&](const Variant& v) { return v.name == name; });
    if (found == chapter.variants.end())
      throw UsageError("--variant: " + chapter.name + " has no '" + name + "' (--list shows those it has)");
    variants.push_back(*found);
  }
  return variants;
}

void require_taken(const std::vector<Variant>& variants, const std::vector<Shape>& shapes) {
  const auto own = [](const Variant& v) { return v.role == Role::own; };
  const bool only_own = std::any_of(variants.begin(), variants.end(), own);
  std::string last_refusal;
  for (const Shape& shape : shapes)
    for (const Variant& variant : variants) {
      if (only_own && !own(variant)) continue;
      const std::string text = refusal(variant, shape);
      if (text.empty()) return;
      last_refusal = variant.name + " cannot take " + shape.text() + ": " + text;
    }
  if (!last_refusal.empty()) throw UsageError(last_refusal);
}

const Broken& find_broken(const Chapter& chapter, const std::string& name) {
  for (const Broken& broken : chapter.broken)
    if (broken.variant.name == name) return broken;
  throw UsageError("--break: " + chapter.name + " has no '" + name + "' (--list shows those it has)");
}

Shape shape_of(const Broken& broken, const Chapter& chapter) {
  return broken.shape == Shape{} ? chapter.trace_shape : broken.shape;
}

const char* to_string(SeenBy seen_by) {
  switch (seen_by) {
    case SeenBy::verifier: return "verifier";
    case SeenBy::tracer: return "tracer";
    case SeenBy::both: return "both";
    case SeenBy::gpu: return "gpu";
  }
  return "";
}

void list(const Chapter& chapter) {
  const Shape shape{1024, 1024, 1024};
  std::printf("%s\n\n%-24s %s\n", wrapped(chapter.name + ": " + chapter.idea, 78, "  ").c_str(), "variant",
              "launch at 1024");
  for (const Variant& v : chapter.variants) {
    std::string launch = "a function on the CPU";
    if (v.geometry) {
      const Geometry g = v.geometry(shape);
      launch = format("%ld x %ld blocks of %ld x %ld threads", long(g.grid.x), long(g.grid.y), long(g.block.x),
                      long(g.block.y));
    }
    if (v.role == Role::previous) launch += " (the chapter before)";
    std::printf("%-24s %s\n", v.name.c_str(), launch.c_str());
  }
  if (chapter.broken.empty()) return;
  std::printf("\n%-20s %-9s %s\n", "--break", "seen by", "what is wrong with it");
  for (const Broken& b : chapter.broken)
    std::printf("%-20s %-9s %s\n", b.variant.name.c_str(), to_string(b.seen_by), b.fault.c_str());
}

}  // namespace ladder
