import TestSupport

@testable import FlatCache
@testable import FlatCacheTestSupport

// First runs on another thread.
extension QueryRun {
    /// Runs a new query on another thread.
    ///
    /// Meanwhile, this thread commits, and observers of the query begin and end.
    mutating func firstRunOnAnotherThread() -> String? {
        counts.add("first run on another thread")
        let definition = QueryCase(using: &generator)
        let kind = FirstRunSubject.Kind.allCases[random(FirstRunSubject.Kind.allCases.count)]
        let subject = FirstRunSubject(definition, kind, in: cache)
        operations.append("first run of \(kind) of \(definition)")
        var problem: String?
        if random(4) == 0 {
            performBatch { run, batch in
                run.operations.append("  " + run.write(to: batch))
                if !subject.begin() { problem = "a thread didn't begin" }
            }
        } else if !subject.begin() {
            problem = "a thread didn't begin"
        }
        problem = problem ?? differenceAfterStep()
        let steps = 2 + random(6)
        for step in 0..<steps where problem == nil {
            // The last step follows the end of the run.
            if step == steps - 1 {
                end(subject, &problem)
                problem = problem ?? difference(subject)
            }
            stepDuringFirstRun(of: subject, &problem)
            problem = problem ?? differenceAfterStep() ?? difference(subject)
        }
        subject.dispose()
        if cache.core.clock.openSnapshotVersions != [] { problem = problem ?? "an open snapshot" }
        return problem
    }

    private func difference(_ subject: FirstRunSubject) -> String? {
        if !cache.isSettled() { return "the calls weren't made" }
        return subject.hasEnded ? subject.difference(in: cache) : nil
    }

    private mutating func stepDuringFirstRun(of subject: FirstRunSubject, _ problem: inout String?)
    {
        switch random(6) {
        case 0:
            operations.append("  observe")
            subject.observe(in: cache)
        case 1:
            operations.append("  end an observation")
            subject.endObservers(1)
        case 2, 3:
            operations.append("  batch")
            let mayEnd = random(3) == 0
            var found: String?
            performBatch { run, batch in
                if mayEnd { run.end(subject, &found) }
                for _ in 0..<2 {
                    run.operations.append("    " + run.write(to: batch))
                    run.operations.append("    observe on another thread")
                    let cache = run.cache
                    let observing = RunningThread { subject.observe(in: cache) }
                    if !observing.wait() { found = "a thread didn't end" }
                }
            }
            problem = found
        default:
            operations.append("  " + write(to: cache))
        }
    }

    private mutating func end(_ subject: FirstRunSubject, _ problem: inout String?) {
        if subject.hasEnded { return }
        operations.append("  end of the run")
        if !subject.end() { problem = "a thread didn't end" }
    }

    private mutating func performBatch(_ body: (inout QueryRun, CacheBatch) -> Void) {
        var run = self
        cache.performBatchUpdates { body(&run, $0) }
        self = run
    }
}
