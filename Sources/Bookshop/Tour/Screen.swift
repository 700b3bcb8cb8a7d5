import FlatCache

/// A screen that a visitor has open, which observes the value that it shows.
///
/// A real screen would redraw itself from its handle; this one records the notification and its
/// reason.
struct Screen {
    let name: String

    /// The token of the observation, which ends with it.
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

    /// Ends the observation.
    func close() {
        observation.dispose()
    }
}
