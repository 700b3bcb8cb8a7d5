/// An operation of a random test.
///
/// An operation must be valid after any others, so that shrinking can leave some of them out.
package protocol RandomOperation: Sendable, CustomStringConvertible {
    /// The operations inside this one, which can replace it.
    var inside: [Self] { get }

    /// Operations that do a little less than this one.
    var simpler: [Self] { get }
}

extension RandomOperation {
    package var inside: [Self] { [] }
    package var simpler: [Self] { [] }

    /// Returns sequences with fewer or simpler operations, the shortest first.
    package static func shrunk(_ operations: [Self]) -> [[Self]] {
        var sequences = operations.shortened()
        for index in operations.indices {
            let operation = operations[index]
            for replacement in [operation.inside] + operation.simpler.map({ [$0] }) {
                var sequence = operations
                sequence.replaceSubrange(index...index, with: replacement)
                sequences.append(sequence)
            }
        }
        return sequences
    }
}

extension Array {
    /// Returns the two halves of the array, and the array without each of its elements.
    package func shortened() -> [[Element]] {
        var arrays: [[Element]] = []
        if count > 2 { arrays = [Array(self[..<(count / 2)]), Array(self[(count / 2)...])] }
        for index in indices.reversed() {
            var array = self
            array.remove(at: index)
            arrays.append(array)
        }
        return arrays
    }
}
