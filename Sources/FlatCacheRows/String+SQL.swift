import Foundation

extension String {
    /// The string in the form in which equal strings have equal bytes.
    ///
    /// Equal strings can consist of different characters, and databases compare bytes.
    package var normalized: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }

    /// Returns the string as SQL writes a text or a name: in quotes, with doubled quotes.
    ///
    /// A quote before a combining character is a part of another `Character`, but a quote for SQL.
    package func quoted(_ quote: Unicode.Scalar) -> String {
        var quoted = String(quote)
        for scalar in unicodeScalars {
            if scalar == quote { quoted.unicodeScalars.append(quote) }
            quoted.unicodeScalars.append(scalar)
        }
        quoted.unicodeScalars.append(quote)
        return quoted
    }
}
