@testable import FlatCache
@testable import FlatCacheTestSupport

/// The kinds of observation of a handle.
enum LoadingObservation: CaseIterable, Sendable {
    case observe
    case observeChanges
    case isolatedObserve
    case isolatedChanges
    case values
    case changes
    case first
    case value
    case observable

    /// Begins an observation that goes on until the token is disposed of.
    func begin(of handle: Cached<Station>) async -> Disposable {
        switch self {
        case .observe: return handle.observe { _ in }
        case .observeChanges: return handle.observeChanges { _ in }
        case .isolatedObserve: return await observeOnMainActor(handle)
        case .isolatedChanges: return await observeChangesOnMainActor(handle)
        case .values: return running { for await _ in handle.values {} }
        case .changes: return running { for await _ in handle.changes {} }
        case .first: return running { _ = try? await handle.first { _ in false } }
        case .value: return running { _ = try? await handle.first(timeout: hangLimit) }
        case .observable:
            let object = Locked<Observed<Cached<Station>>?>(handle.observable)
            return Disposable { object.withLock { $0 = nil } }
        }
    }

    @MainActor private func observeOnMainActor(_ handle: Cached<Station>) -> Disposable {
        handle.observe(isolation: MainActor.shared) { _ in }
    }

    @MainActor private func observeChangesOnMainActor(_ handle: Cached<Station>) -> Disposable {
        handle.observeChanges(isolation: MainActor.shared) { _ in }
    }

    private func running(_ body: @escaping @Sendable () async -> Void) -> Disposable {
        let task = Task { await body() }
        return Disposable { task.cancel() }
    }
}
