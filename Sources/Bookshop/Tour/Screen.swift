import FlatCache

/// Something that a visitor has open, which observes the value that it shows.
///
/// A real one would redraw itself from its handle; this one notes that it would have, and why.
struct Screen {
    let name: String

    /// The end of this token is the end of the observation.
    let observation: Disposable

    /// Opens a screen on a value, which may still be missing from the cache.
    init<Value>(_ name: String, showing handle: Cached<Value>, log: NoticeLog) {
        self.name = name
        observation = handle.observeChanges { change in
            log.record(ScreenNotice(screen: name, change: change))
        }
    }

    /// Opens a screen on a list, whose elements may still be missing from the cache.
    init(_ name: String, showing list: CachedList<Book>, log: NoticeLog) {
        self.name = name
        observation = list.observeChanges { change in
            log.record(ScreenNotice(screen: name, change: change))
        }
    }

    /// Stops hearing of changes.
    func close() {
        observation.dispose()
    }
}
