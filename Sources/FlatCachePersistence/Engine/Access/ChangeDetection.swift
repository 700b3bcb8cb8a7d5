/// The way in which changes of a key's value are detected.
enum ChangeDetection: Sendable {
    /// The storage announces every change.
    case announced
    /// A check at each read compares the known value with the stored one.
    case checked(ValueCheck)
    /// Each read asks the storage for the value.
    case asked

    init<Base: Storage>(
        of storage: Base,
        _ key: Base.Key,
        _ channel: StorageChannel<Base.Value>
    ) {
        if let checked = storage as? any CheckedStorage<Base.Key, Base.Value>,
            let check = checked.makeCheck(forKey: key, channel)
        {
            self = .checked(check)
        } else {
            self = storage.announcesEveryChange ? .announced : .asked
        }
    }
}
