import Testing

@testable import FlatCache

extension LoadProgress {
    /// Ends the present load with an answer that's stored as it is, unless there's a conflict.
    mutating func end(
        _ number: UInt64? = nil,
        isWhole: Bool?,
        isStale: Bool = false,
        conflict: WriteKind? = nil,
        version: UInt64 = 1
    ) -> Activity? {
        endLoad(
            number ?? self.number,
            with: Answer(isWhole: isWhole, conflict: conflict),
            storedAs: StoredState(version: version, isWhole: isWhole, isStale: isStale)
        )
    }

    /// Lets the present load fail.
    mutating func fail(
        _ number: UInt64? = nil,
        isNeeded: Bool = true,
        expectedCount: Int? = nil
    ) -> Activity? {
        let error = StationServer.Failure()
        return failLoad(number ?? self.number, with: error, isNeeded: isNeeded) { count in
            if let expectedCount { check(count == expectedCount) }
            return Time(nanoseconds: 7)
        }
    }
}

/// Records an issue unless a condition holds, which may be a call of a mutating method.
func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
