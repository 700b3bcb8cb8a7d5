import Foundation

extension String {
    /// The string in Unicode Normalization Form C, in which equal strings have equal bytes.
    ///
    /// Two equal strings can consist of different Unicode scalars, and databases compare bytes.
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
