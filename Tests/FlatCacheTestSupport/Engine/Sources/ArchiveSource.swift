import Testing
import TestSupport

@testable import FlatCache

/// A source that restores profiles and responses from dictionaries.
final class ArchiveSource: EntitySource {
    let profiles = Locked<[Int: Archive<Profile>.Row]>([:])
    let responses = Locked<[String: (response: any Sendable, lifetime: Duration?)]>([:])
    /// The identifiers in each question for profiles, in ascending order.
    let questions = Recorder<[Int]>()
    let requests = Recorder<String>()
    /// The signal that the answers wait for, if there is one.
    let gate: Signal?
    private let attachment = Locked<(access: CacheAccess, tokens: [Disposable])?>(nil)

    init(_ profiles: [Profile] = [], gate: Signal? = nil) {
        self.gate = gate
        self.profiles.withLock { rows in
            for profile in profiles { rows[profile.id] = .init(value: profile) }
        }
    }

    func attach(to cache: Cache) {
        let access = CacheAccess(self, to: cache)
        let journal = access.add(access.journalOfRequests {})
        // The cache may ask for observed entities before `add(_:of:)` returns.
        attachment.withLock { $0 = (access, [journal]) }
        let token = access.add(self, of: [Profile.self, RequestState.self])
        attachment.withLock { $0?.tokens.append(token) }
    }

    func detach() {
        let former = attachment.withLock { $0.take() }
        for token in former?.tokens ?? [] { token.dispose() }
    }

    func restore(_ keys: [CacheKey]) async {
        let ids = keys.compactMap { $0.id(as: Profile.self) }
        questions.append(ids.sorted())
        if let gate { _ = await until { gate.isFired } }
        attachment.withLock({ $0?.access })?.write(.restoring) { transaction in
            for id in ids {
                guard let row = profiles.withLock({ $0[id] }) else { continue }
                transaction.insert(row.value, row.freshness)
                transaction.mergeBeneath(row.value)
            }
        }
    }

    func restoreResponse<Response: Sendable>(of request: String, as type: Response.Type) async {
        requests.append(request)
        guard let row = responses.withLock({ $0[request] }),
            let response = row.response as? Response
        else { return }
        attachment.withLock({ $0?.access })?.write(.restoring) { transaction in
            transaction.insert(response, ofRequest: request, age: nil, lifetime: row.lifetime)
        }
    }
}
