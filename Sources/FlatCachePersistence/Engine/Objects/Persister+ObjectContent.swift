extension Persister<ObjectContent> {
    /// The version of the content.
    ///
    /// Unless the storage announces every change, the content is first compared with the stored
    /// one.
    var latestVersion: Int {
        // A comparison that fails changes nothing.
        if !isAnnounced { try? access.refresh() }
        return version.current
    }

    /// Returns the content that all readers in this process share, and its version.
    func load() throws(PersistenceError) -> (content: ObjectContent, version: Int) {
        let (content, version) = try access.load()
        return (try value(of: content) ?? .absent, version)
    }

    /// Returns the content that the storage holds now.
    ///
    /// If it differs from the shared content, other listeners are notified.
    func reload() throws(PersistenceError) -> ObjectContent {
        try value(of: access.reload()) ?? .absent
    }
}
