import FlatCache

/// One run of ``EntityConformance/check(_:ignoring:)``.
struct EntityCheck<Entity: Identifiable & Sendable> where Entity.ID: Sendable {
    private typealias Requirement = EntityConformance.Requirement
    private typealias Failure = EntityConformance.Failure

    /// A sample beside its stored properties.
    private struct Sample {
        let value: Entity
        let fields: EntityFields
    }

    private let samples: [Sample]
    private let ignored: Set<String>
    private var failures: [EntityConformance.Failure] = []

    init(_ values: [Entity], ignoring ignored: Set<String>) {
        samples = values.map { Sample(value: $0, fields: EntityFields($0)) }
        self.ignored = ignored
    }

    mutating func run() -> [EntityConformance.Failure] {
        checkVariation()
        for sample in samples {
            checkMergeWithItself(sample)
            checkRelationships(of: sample)
        }
        for (index, left) in samples.enumerated() {
            for right in samples[(index + 1)...] {
                checkEquality(left, right)
                guard left.value.id == right.value.id else { continue }
                checkMerge(left, right)
            }
        }
        return failures
    }

    private var checkedNames: [String] {
        var names: [String] = []
        for field in samples.flatMap(\.fields.fields)
        where field.name != "id" && !ignored.contains(field.name) && !names.contains(field.name) {
            names.append(field.name)
        }
        return names
    }

    private mutating func checkVariation() {
        var varied: Set<String> = []
        for (index, left) in samples.enumerated() {
            for right in samples[(index + 1)...] where left.value.id == right.value.id {
                let names = difference(left, right)
                if names.count == 1 { varied.formUnion(names) }
            }
        }
        for name in checkedNames where !varied.contains(name) {
            report(
                .samplesVaryProperty,
                name,
                "no two samples of one identifier differ in this property alone. Add such a sample."
            )
        }
    }

    private func difference(_ left: Sample, _ right: Sample) -> [String] {
        left.fields.names(differingFrom: right.fields).filter { !ignored.contains($0) }
    }

    // MARK: - Merging

    private mutating func checkMergeWithItself(_ sample: Sample) {
        guard let merged = merged(sample, with: sample) else { return }
        for name in difference(sample, merged) {
            report(
                .mergeWithItselfChangesNothing,
                name,
                "merged(with:) of \(sample.value) with itself returns \(merged.value)."
            )
        }
    }

    private mutating func checkMerge(_ left: Sample, _ right: Sample) {
        guard let forward = merged(left, with: right), let backward = merged(right, with: left)
        else {
            return
        }
        for name in difference(left, right) {
            guard let leftField = left.fields[name], let rightField = right.fields[name] else {
                continue
            }
            switch (EntityFields.unwrapped(leftField), EntityFields.unwrapped(rightField)) {
            case (nil, nil): continue
            case (nil, let known?), (let known?, nil):
                for (older, newer, merged) in [(left, right, forward), (right, left, backward)] {
                    checkKnownValue(known, of: name, older, newer, merged)
                }
            case (_?, _?):
                checkKnownNull(name, left, right, forward)
                checkKnownNull(name, right, left, backward)
                if let forwardField = forward.fields[name],
                    let backwardField = backward.fields[name],
                    EntityFields.areEqual(forwardField, leftField),
                    EntityFields.areEqual(backwardField, rightField)
                {
                    reportOlderValue(name, left, right, forward)
                }
            }
        }
    }

    /// Checks that a null replaces an older value.
    private mutating func checkKnownNull(
        _ name: String,
        _ older: Sample,
        _ newer: Sample,
        _ merged: Sample
    ) {
        guard let newerField = newer.fields[name], EntityFields.isNull(newerField),
            let field = merged.fields[name], !EntityFields.isNull(field)
        else {
            return
        }
        reportOlderValue(name, older, newer, merged)
    }

    private mutating func reportOlderValue(
        _ name: String,
        _ older: Sample,
        _ newer: Sample,
        _ merged: Sample
    ) {
        report(
            .mergeTakesNewerValues,
            name,
            "merged(with:) keeps the older value. \(older.value) merged with \(newer.value) "
                + "returns \(merged.value)."
        )
    }

    private mutating func checkKnownValue(
        _ known: Any,
        of name: String,
        _ older: Sample,
        _ newer: Sample,
        _ merged: Sample
    ) {
        guard let field = merged.fields[name], EntityFields.unwrapped(field) == nil else { return }
        report(
            .mergeKeepsKnownValues,
            name,
            "merged(with:) loses the value \(known). \(older.value) merged with \(newer.value) "
                + "returns \(merged.value)."
        )
    }

    private mutating func merged(_ older: Sample, with newer: Sample) -> Sample? {
        guard let value = older.value as? any Mergeable else { return nil }
        func merge<Value: Mergeable>(_ value: Value) -> Entity? {
            (newer.value as? Value).flatMap { value.merged(with: $0) as? Entity }
        }
        guard let result = merge(value) else { return nil }
        if result.id != older.value.id {
            report(
                .mergeKeepsIdentifier,
                nil,
                "merged(with:) of \(older.value) returns the identifier \(result.id)."
            )
        }
        return Sample(value: result, fields: EntityFields(result))
    }

    // MARK: - Equality

    private mutating func checkEquality(_ left: Sample, _ right: Sample) {
        guard let value = left.value as? any Equatable, value.isEqualEntity(to: right.value) else {
            return
        }
        for name in difference(left, right) {
            report(
                .equalityComparesProperty,
                name,
                "== returns true for \(left.value) and \(right.value), so storing the second one over "
                    + "the first one notifies no observer."
            )
        }
    }

    // MARK: - Relationships

    private mutating func checkRelationships(of sample: Sample) {
        let listed = (sample.value as? any HasCachedRelationships)?.relatedCacheKeys
        for field in sample.fields.fields where !ignored.contains(field.name) {
            let missing = EntityFields.relationshipKeys(in: field.value).first { key in
                !(listed?.contains(key) ?? false)
            }
            guard let missing else { continue }
            report(
                .relatedCacheKeysListsRelationship,
                field.name,
                listed == nil
                    ? "the property refers to \(missing), but the type isn't HasCachedRelationships."
                    : "relatedCacheKeys of \(sample.value) lacks \(missing)."
            )
        }
    }

    // MARK: - Failures

    /// Records the first failure for a requirement and a property.
    private mutating func report(_ requirement: Requirement, _ name: String?, _ reason: String) {
        let isKnown = failures.contains { $0.requirement == requirement && $0.property == name }
        guard !isKnown else { return }
        let place = name.map { "\(Entity.self).\($0)" } ?? "\(Entity.self)"
        failures.append(
            Failure(requirement: requirement, property: name, description: "\(place): \(reason)")
        )
    }
}

extension Equatable {
    fileprivate func isEqualEntity(to other: Any) -> Bool { (other as? Self) == self }
}
