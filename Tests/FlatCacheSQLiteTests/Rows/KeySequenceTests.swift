import Testing

@testable import FlatCacheSQLite

/// Tests of the hashes of keys' names.
struct KeySequenceTests {
    @Test func differentNamesHaveDifferentHashes() {
        let letters = ["a", "b", "g", "z"]
        var names = [""]
        for length in 1...4 {
            names += names.filter { $0.count == length - 1 }.flatMap { name in
                letters.map { name + $0 }
            }
        }
        names += (5...40).map { String(repeating: "a", count: $0) }
        let first = names.map { ["a", $0] }
        let all = first + names.dropFirst().map { [$0] }
        let hashes = all.map { names in
            var sequence = KeySequence()
            for var name in names { name.withUTF8 { sequence.append($0) } }
            return sequence.hash
        }
        #expect(Set(hashes).count == all.count)
    }
}
