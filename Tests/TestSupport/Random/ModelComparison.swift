/// A subject of a random test beside a naive model of it.
package protocol ModelComparison<Operation> {
    associatedtype Operation: RandomOperation

    /// Performs an operation on the subject and on the model.
    ///
    /// - Returns: The description of the first difference, or `nil` if there is none.
    mutating func difference(after operation: Operation) -> String?

    /// Ends the comparison after the last operation.
    ///
    /// - Returns: The description of a remaining difference, or `nil` if there is none.
    mutating func finalDifference() -> String?
}

extension ModelComparison {
    package mutating func finalDifference() -> String? { nil }
}
