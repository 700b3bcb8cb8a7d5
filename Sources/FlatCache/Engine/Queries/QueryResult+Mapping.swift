extension QueryResult {
    /// Returns the rows that a closure has computed.
    func outputs<Output>() -> [Output] where Payload == MappedRow<Output> {
        var outputs: [Output] = []
        outputs.reserveCapacity(shown.count)
        rows.forEach(in: shown) { outputs.append($0.payload.output) }
        return outputs
    }

    /// Updates the computed rows before a commit to the rows of this result.
    func update<Output>(
        _ outputs: inout [Output],
        _ transition: QueryTransition<Element, Payload>
    ) where Payload == MappedRow<Output> {
        let difference = transition.difference
        if difference.removals.count + difference.insertions.count > Self.maximumMoves {
            outputs = self.outputs()
            return
        }
        func output(at offset: Int) -> Output { rows[shown.lowerBound + offset].payload.output }
        for step in difference.removals.reversed() { outputs.remove(at: step.offset) }
        for step in difference.insertions {
            outputs.insert(output(at: step.offset), at: step.offset)
        }
        for step in difference.stayed { outputs[step.offset] = output(at: step.offset) }
    }
}
