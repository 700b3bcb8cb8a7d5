import Foundation
import TestSupport

/// A kind of damage to some pages of a file.
enum PageDamage: String, CaseIterable {
    case randomBytes, zeros, innerPages, otherPages, partOfPage, truncation, shift

    /// `true` if the damage can leave a correct tree with fewer rows.
    var canHideRows: Bool { [.otherPages, .partOfPage, .shift].contains(self) }

    /// Returns a copy of a file with damaged pages.
    func applied(
        to original: Data,
        pages count: Int,
        pageSize: Int,
        _ generator: inout SplitMix64
    ) -> Data {
        // The first page leads to all others.
        var pages = Array(1..<original.count / pageSize)
        if self == .innerPages { pages.removeAll { ![2, 5].contains(original[$0 * pageSize]) } }
        if self == .truncation {
            return original.dropLast(min(count, pages.count) * pageSize)
        }
        var bytes = original
        for _ in 0..<count {
            let start = generator.pick(pages) * pageSize
            let page = start..<start + pageSize
            switch self {
            case .randomBytes, .innerPages:
                bytes.replaceSubrange(page, with: generator.bytes(pageSize))
            case .zeros: bytes.replaceSubrange(page, with: Data(count: pageSize))
            case .otherPages:
                let other = generator.pick(pages) * pageSize
                bytes.replaceSubrange(page, with: original[other..<other + pageSize])
            case .partOfPage:
                let part = page.dropFirst(generator.below(pageSize - 64)).prefix(64)
                bytes.replaceSubrange(part, with: generator.bytes(64))
            case .shift:
                let moved = start - pageSize / 2..<start + pageSize / 2
                bytes.replaceSubrange(page, with: original[moved])
            case .truncation: break
            }
        }
        return bytes
    }
}

extension SplitMix64 {
    fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
