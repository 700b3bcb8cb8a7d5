import Synchronization

// Commits that only derivers write.
extension CacheCore {
    /// Makes derivers take part in a commit soon, even if no other entity changes.
    ///
    /// If the writers' lock is free, the commit happens at once; otherwise, when it's released.
    func requestDerivation() {
        mustDerive.store(true, ordering: .sequentiallyConsistent)
        doDeferredWorkIfIdle()
    }

    var isDerivationRequested: Bool { mustDerive.load(ordering: .sequentiallyConsistent) }

    /// Returns whether a derivation has been requested, and clears the request.
    func takeDerivationRequest() -> Bool {
        isDerivationRequested
            && mustDerive.exchange(false, ordering: .sequentiallyConsistent)
    }
}
