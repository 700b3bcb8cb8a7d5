import Foundation

/// Two sides that take turns, operation by operation, for operations that wait for a disk whose
/// speed may change at any moment.
enum Turns {
    /// Lets both sides take turns, and returns the median wall-clock time of an operation of each,
    /// in nanoseconds.
    ///
    /// - Parameters:
    ///   - count: The number of operations of each side. In every other pair the subject goes
    ///     first.
    ///   - baseline: Carries out one operation; receives its number.
    ///   - subject: Carries out one operation; receives its number.
    /// - Returns: The medians, or NaN if one of the operations has failed.
    static func round(
        _ count: Int,
        baseline: (Int) throws -> Void,
        subject: (Int) throws -> Void
    ) -> Round {
        round(count) { number in
            try time(of: { try baseline(number) })
        } timeOfSubject: { number in
            try time(of: { try subject(number) })
        }
    }

    /// Lets both sides take turns, and returns the median time of an operation of each.
    ///
    /// - Parameters:
    ///   - count: The number of operations of each side. In every other pair the subject goes
    ///     first.
    ///   - timeOfBaseline: Carries out one operation, and returns its time; receives its number.
    ///   - timeOfSubject: Carries out one operation, and returns its time; receives its number.
    /// - Returns: The medians, or NaN if one of the operations has failed.
    static func round(
        _ count: Int,
        timeOfBaseline: (Int) throws -> Double,
        timeOfSubject: (Int) throws -> Double
    ) -> Round {
        var times = (baseline: [Double](), subject: [Double]())
        do {
            for number in 0..<count {
                if number.isMultiple(of: 2) {
                    times.baseline.append(try timeOfBaseline(number))
                    times.subject.append(try timeOfSubject(number))
                } else {
                    times.subject.append(try timeOfSubject(number))
                    times.baseline.append(try timeOfBaseline(number))
                }
            }
        } catch {
            Failures.note(error)
        }
        guard times.baseline.count == count, times.subject.count == count,
            let baseline = Summary(times.baseline), let subject = Summary(times.subject)
        else { return Round(baseline: .nan, subject: .nan) }
        return Round(baseline: baseline.median, subject: subject.median)
    }

    private static func time(of body: () throws -> Void) rethrows -> Double {
        let start = Stopwatch.now
        try body()
        return Double(Stopwatch.now - start)
    }
}

/// Reports errors of measured code to standard error.
///
/// The row then has no result.
enum Failures {
    /// Reports an error.
    static func note(_ error: any Error) {
        FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    }
}

extension Contest {
    /// Returns the contest that a closure creates, or one without results if the closure throws.
    static func ifPossible(_ make: () throws -> Contest) -> Contest {
        do {
            return try make()
        } catch {
            Failures.note(error)
            return Contest {
                .nan
            } subject: {
                .nan
            }
        }
    }
}
