/// The value of most rows: an identifier, a title of 33 characters and two integers.
///
/// It is neither `Mergeable` nor `Equatable` and is replaced as a whole, so that subject and
/// baseline do the same work.
struct Book<ID: Hashable & Sendable>: Identifiable, Sendable {
    let id: ID
    var title: String
    var pages: Int
    var copies: Int
}

/// The titles and identifiers of the rows' values.
enum Texts {
    /// Returns a title of 33 characters, which a string can't store inline.
    static func title(_ number: Int, edition: Int = 0) -> String {
        text("Book 000000000000, edition 000000", (number, 17), (edition, 33))
    }

    /// Returns an identifier of 20 characters, which a string can't store inline.
    static func identifier(_ number: Int) -> String {
        text("book-000000000000000", (number, 20))
    }

    // Works on bytes, since rows create millions of texts and their cost isn't of interest.
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
    /// Returns the books with the identifiers of a range, in order.
    static func books(_ ids: Range<Int>, edition: Int = 0) -> [Self] {
        ids.map { Self(id: $0, number: $0, edition: edition) }
    }
}
