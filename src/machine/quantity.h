// Values as people write them in a machine file: numbers with units, "425 MB/s", "0.5 us", "2 GiB", "13.6 GF"; text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace allport::machine_text {

enum class QuantityKind { bandwidth, time, bytes, flops, adds };

/// The value in SI units (bytes/s, s, bytes, 1/s); nothing if the text is not a number with a unit of the kind.
[[nodiscard]] std::optional<double> parse_quantity(std::string_view text, QuantityKind kind);

/// A short text that parse_quantity() reads back exactly, in the largest unit in which the number is >= 1.
[[nodiscard]] std::string quantity_text(double value, QuantityKind kind);

/// A text in quotes, as TOML has it.
[[nodiscard]] std::string toml_string(std::string_view text);

/// "a number in bytes/s, or text such as '425 MB/s', ...", for messages.
[[nodiscard]] std::string_view quantity_help(QuantityKind kind);

}  // namespace allport::machine_text
