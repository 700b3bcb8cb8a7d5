import Testing

@testable import FlatCache
@testable import FlatCacheTestSupport

/// Tests answers that arrive after the entity was written, removed or invalidated.
@Suite(.timeLimit(.minutes(15)))
struct LateAnswerTests {
    /// The state of the entity 1.
    private struct Outcome: Equatable {
        var fields: [String?]?
        var isStale = false
        /// The fields that the caller of the load receives.
        var returned: [String?]
    }

    @Test(arguments: LateWrite.allCases, LateAnswer.allCases)
    func lateAnswerUndoesNoWrite(write: LateWrite, answer: LateAnswer) async throws {
        for hasLifetimes in [false, true] where hasLifetimes || !write.needsLifetimes {
            try await check(write, answer, MergedThing.self, hasLifetimes)
            try await check(write, answer, MergedNote.self, hasLifetimes)
            try await check(write, answer, PlainThing.self, hasLifetimes)
            try await check(write, answer, PlainNote.self, hasLifetimes)
        }
    }

    private func check<Entity: LateEntity>(
        _ write: LateWrite,
        _ answer: LateAnswer,
        _ type: Entity.Type,
        _ hasLifetimes: Bool
    ) async throws {
        let clock = SleeplessClock()
        let cache = Cache(configuration: CacheConfiguration(clock: clock))
        if hasLifetimes {
            cache.limit(
                type,
                staleAfter: .after(.seconds(100)),
                expires: .afterWrite(.seconds(200))
            )
        }
        if !write.startsMissing { cache.set(Entity("old")) }
        let request = LateRequest()
        let load = answer.start(Entity("answer", detail: "answer"), in: cache, after: request)
        #expect(await until { request.hasBegun })
        write.perform(on: cache, clock, type)

        let notified = Recorder<[String?]?>()
        let token = cache.cached(type, id: 1).observe { notified.append($0.fields) }
        let before = cache.get(type, id: 1)?.fields
        request.end()
        let returned = try await load.value
        let expected = outcome(of: write, type)
        let found = Outcome(
            fields: cache.get(type, id: 1)?.fields,
            isStale: cache.freshness(of: type, id: 1).isStale,
            returned: returned?.fields ?? expected.returned
        )
        let comment: Comment = "\(type), lifetimes: \(hasLifetimes)"
        #expect(found == expected, comment)
        let changes = expected.fields == before ? [] : [expected.fields]
        if write.effect != .none, type is any Equatable.Type {
            #expect(await until { notified.count >= changes.count }, comment)
            #expect(notified.all == changes, comment)
        }
        #expect(await until { !cache.hasLeases }, comment)
        cache.core.checkInvariants()
        token.dispose()
    }

    private func outcome<Entity: LateEntity>(
        of write: LateWrite,
        _ type: Entity.Type
    ) -> Outcome {
        let answer: [String?] = ["answer", "answer"]
        let text = write == .setEqual || write.effect == .invalidated ? "old" : "new"
        // Parts of a removed value don't come back.
        let isMerged = Entity.isMergeable && !write.isAfterRemoval
        let stored: [String?] = [text, isMerged ? "answer" : nil]
        let returned = Entity.isMergeable ? stored : answer
        switch write.effect {
        case .none: return Outcome(fields: answer, returned: answer)
        case .removed: return Outcome(returned: answer)
        case .invalidated where write.startsMissing: return Outcome(returned: answer)
        case .invalidated: return Outcome(fields: stored, isStale: true, returned: returned)
        case .stored: return Outcome(fields: stored, returned: returned)
        }
    }
}
