extension CacheCore {
    @usableFromInline
    func set<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ values: [Value],
        modifiedAt stamp: Stamp,
        in table: Table<Value>
    ) -> [Value] where Value.ID: Sendable {
        write("set(_:modifiedAt:)") { writer in
            let stamps = table.modificationStamps(as: Stamp.self)
            return values.map { store($0, stamp, stamps, in: table, writer) }
        }
    }

    /// Returns whether the latest stamp of a value's entity is known and older than a stamp.
    func isKnownToBeOlder<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        than stamp: Stamp
    ) -> Bool where Value.ID: Sendable {
        guard let table = tables.existingTable(of: Value.self) else { return false }
        if table.isGuarded { table.uncover(value.id) }
        let isStored = table.writtenValue(id: value.id) != nil
        let stamps = table.modificationStamps(as: Stamp.self)
        return isLater(stamp, than: stamps.latest(of: value.id, isStored: isStored)) == true
    }

    /// Returns whether a stamp is later than the latest known one of an entity, or `nil` if they're
    /// equal or the entity has none.
    private func isLater<Stamp: Comparable & Sendable>(
        _ stamp: Stamp,
        than latest: Stamp?
    ) -> Bool? {
        guard let latest else { return nil }
        return writer.runUserCode("<", of: Stamp.self) {
            latest < stamp ? true : stamp < latest ? false : nil
        }
    }

    private func store<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        _ stamp: Stamp,
        _ stamps: ModificationStamps<Value.ID, Stamp>,
        in table: Table<Value>,
        _ writer: Writer
    ) -> Value where Value.ID: Sendable {
        let id = value.id
        if table.isGuarded { table.uncover(id) }
        if let existing = table.writtenValue(id: id) {
            if isLater(stamp, than: stamps.latest(of: id, isStored: true)) == false {
                guard let merge = table.traits.merge else { return existing }
                let whole = writer.runUserCode("merged(with:)", of: Value.self) {
                    merge(value, existing)
                }
                checkMerged(whole, from: id)
                store(whole, as: .beneath, of: value, in: table)
                return table.writtenValue(id: id) ?? whole
            }
        }
        if writer.leases.storing != nil {
            writer.leases.stamped.insert(CacheKey(Value.self, id: id))
        }
        writer.addUndo(stamps.set(stamp, of: id))
        return store(value, merging: true, in: table, writer)
    }
}

extension CacheCore {
    /// Sets the modification stamp of a value that a participant has restored.
    func setStamp<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ stamp: Stamp,
        of id: Value.ID,
        in table: Table<Value>
    ) where Value.ID: Sendable {
        writer.addUndo(table.modificationStamps(as: Stamp.self).set(stamp, of: id))
    }

    /// Stores a value by its modification stamp if that is later than the stored value's; returns
    /// whether it is.
    func storeIfLater<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ value: Value,
        _ stamp: Stamp,
        in table: Table<Value>
    ) -> Bool where Value.ID: Sendable {
        let stamps = table.modificationStamps(as: Stamp.self)
        guard isLater(stamp, than: stamps.latest(of: value.id, isStored: true)) == true else {
            return false
        }
        _ = store(value, stamp, stamps, in: table, writer)
        return true
    }

    /// Returns whether a stamp is later than a stored value's stamp, or `nil` if they're equal or
    /// the value has none.
    func isLater<Value: Identifiable & Sendable, Stamp: Comparable & Sendable>(
        _ stamp: Stamp,
        thanStampOf id: Value.ID,
        in table: Table<Value>
    ) -> Bool? where Value.ID: Sendable {
        let stamps = table.modificationStamps(as: Stamp.self)
        return isLater(stamp, than: stamps.latest(of: id, isStored: true))
    }
}

extension Table {
    /// Returns the table's modification stamps, or traps if they are of another type.
    fileprivate func modificationStamps<Stamp: Comparable & Sendable>(
        as type: Stamp.Type
    ) -> ModificationStamps<Value.ID, Stamp> {
        guard let stamps else {
            let stamps = ModificationStamps<Value.ID, Stamp>()
            self.stamps = stamps
            return stamps
        }
        guard let typed = stamps as? ModificationStamps<Value.ID, Stamp> else {
            preconditionFailure(
                """
                A value of \(Value.self) was stored with a stamp of the type \(Stamp.self), and others \
                before with \(stamps.stampType). Stamps of different types can't be compared: use \
                one type of stamp for all values of a type.
                """
            )
        }
        return typed
    }
}
