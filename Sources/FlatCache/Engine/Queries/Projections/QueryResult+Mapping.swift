extension QueryResult {
    /// Returns the rows that a closure has computed.
    func outputs<Output>() -> [Output] where Payload == MappedRow<Output> {
        rows.outputs(at: 0..., of: shown)
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

extension QueryRows {
    /// Returns the rows that a closure has computed, at some positions of a window, which may lie
    /// beyond its end.
    func outputs<Output>(
        at positions: some RangeExpression<Int>,
        of shown: Range<Int>
    ) -> [Output] where Payload == MappedRow<Output> {
        let positions = shown.positions(positions)
        var outputs: [Output] = []
        outputs.reserveCapacity(positions.count)
        forEach(in: positions) { outputs.append($0.payload.output) }
        return outputs
    }
}
