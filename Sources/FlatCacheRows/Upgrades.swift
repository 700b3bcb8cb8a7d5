/// The upgrades of the values in the rows of a type, from former versions of their encoding.
package struct Upgrades<Value: Decodable & Sendable>: Sendable {
    private struct Step: Sendable {
        let version: Int
        let oldType: any (Decodable & Sendable).Type
        let newType: Any.Type
        let apply: @Sendable (Any) throws -> Any
    }

    /// The present version.
    package let version: Int
    /// The upgrades in the order of their versions.
    private var steps: [Step] = []

    package init(to version: Int) { self.version = version }

    /// Adds the upgrade from a version to that of the next upgrade, or to the present one.
    ///
    /// Two upgrades from one version trap, as does an upgrade from the present or a later version.
    package mutating func add<Old: Decodable & Sendable, New>(
        from version: Int,
        _ body: @escaping @Sendable (Old) throws -> New
    ) {
        precondition(
            version < self.version && !canUpgrade(from: version),
            """
            \(Value.self) can't be upgraded from \(version) to \(self.version): declare each step \
            once, and a number above all of them for the type.
            """
        )
        steps.append(
            Step(version: version, oldType: Old.self, newType: New.self) { old in
                guard let old = old as? Old else { throw RowError.otherType }
                return try body(old)
            }
        )
        steps.sort { $0.version < $1.version }
    }

    /// Traps if an upgrade doesn't return the argument of the next one.
    package func check() {
        var next: Any.Type = Value.self
        for step in steps.reversed() {
            precondition(
                step.newType == next,
                """
                The upgrade of \(Value.self) from \(step.version) returns \(step.newType), but the \
                next step needs \(next): each step must return the argument of the next one, and \
                the last step the present type.
                """
            )
            next = step.oldType
        }
    }

    /// Returns whether a version is the present one, or has an upgrade.
    package func canUpgrade(from version: Int) -> Bool {
        version == self.version || steps.contains { $0.version == version }
    }

    /// Decodes a value of a version, and upgrades it.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - decode: A closure that decodes the value as the type of that version.
    package func value(
        from version: Int,
        decode: (any (Decodable & Sendable).Type) throws -> Any
    ) throws -> Value {
        guard canUpgrade(from: version) else { throw RowError.missingUpgrade(version) }
        var upgraded: Any?
        for step in steps where step.version >= version {
            upgraded = try step.apply(upgraded ?? decode(step.oldType))
        }
        guard let value = try (upgraded ?? decode(Value.self)) as? Value else {
            throw RowError.otherType
        }
        return value
    }
}
