/// The value of most rows: an identifier, a title of 33 characters and two integers.
///
/// It is replaced as a whole: neither `Mergeable` nor `Equatable`, so that subject and baseline have
/// the same to do.
struct Book<ID: Hashable & Sendable>: Identifiable, Sendable {
    let id: ID
    var title: String
    var pages: Int
    var copies: Int
}

/// The titles and identifiers of the values that rows are about.
enum Texts {
    /// A title of 33 characters, which a string cannot hold without memory of its own.
    static func title(_ number: Int, edition: Int = 0) -> String {
        text("Book 000000000000, edition 000000", (number, 17), (edition, 33))
    }

    /// An identifier of 20 characters, in memory of its own.
    static func identifier(_ number: Int) -> String {
        text("book-000000000000000", (number, 20))
    }

    // By bytes, since millions of them are made and nothing else of that is of interest.
    private static func text(_ template: StaticString, _ numbers: (Int, end: Int)...) -> String {
        var bytes = template.withUTF8Buffer { Array($0) }
        for (number, end) in numbers {
            var (rest, position) = (number, end)
            while rest > 0 {
                position -= 1
                bytes[position] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Book {
    init(id: ID, number: Int, edition: Int = 0) {
        self.init(
            id: id,
            title: Texts.title(number, edition: edition),
            pages: number,
            copies: edition
        )
    }
}

extension Book<Int> {
    /// The books with the identifiers of a range, in order.
    static func books(_ ids: Range<Int>, edition: Int = 0) -> [Self] {
        ids.map { Self(id: $0, number: $0, edition: edition) }
    }
}
