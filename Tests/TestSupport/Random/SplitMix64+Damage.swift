package import Foundation

extension SplitMix64 {
    /// Returns a damaged copy of one of several byte sequences: truncated, with changed bytes, with
    /// a part removed, or only the first bytes.
    package mutating func damaged(_ originals: [Data]) -> Data {
        var bytes = Array(originals.randomElement(using: &self) ?? Data())
        guard !bytes.isEmpty else { return Data() }
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &self))
        case 1:
            for _ in 0..<Int.random(in: 1...4, using: &self) {
                bytes[Int.random(in: bytes.indices, using: &self)] = .random(
                    in: 0...255,
                    using: &self
                )
            }
        case 2:
            let start = Int.random(in: bytes.indices, using: &self)
            bytes.removeSubrange(start..<min(bytes.count, start + 30))
        default:
            bytes.removeLast(bytes.count - min(8, bytes.count))
            for _ in 0..<Int.random(in: 0..<200, using: &self) {
                bytes.append(.random(in: 0...255, using: &self))
            }
        }
        return Data(bytes)
    }
}
