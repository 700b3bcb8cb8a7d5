/// The payload of rows that a closure computes.
@usableFromInline
struct MappedRow<Output: Sendable>: QueryPayload {
    @usableFromInline typealias Summary = NoSummary
    @usableFromInline typealias Combining = NoSummary

    @usableFromInline let output: Output

    @usableFromInline
    init(output: Output) { self.output = output }
}
