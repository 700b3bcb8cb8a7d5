/// The objects to release after all locks.
struct ReleasedObjects {
    var objects: [AnyObject] = []
    /// The objects to release on another thread, since it takes long.
    var large: [any AnyObject & Sendable] = []
    /// The memory of closed logs, as a linked list, so that a commit needn't allocate an array.
    var memory: PriorVersionMemory?

    /// Releases the objects.
    consuming func release() {
        while let current = memory {
            memory = current.nextReleased.take()
            current.release()
        }
        if large.isEmpty { return }
        runOnNewThread { [large] in withExtendedLifetime(large) {} }
    }
}
