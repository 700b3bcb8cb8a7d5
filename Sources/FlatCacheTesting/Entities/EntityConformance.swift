import FlatCache

/// A check of the conformances that a model writes by hand: `Mergeable`, `Equatable` and
/// `HasCachedRelationships`.
///
/// A property that is added to a model, but not to its `merged(with:)`, loses values without an
/// error. This check finds it:
///
/// ```swift
/// import FlatCacheTesting
/// import Testing
///
/// @Test func booksConform() {
///     let book = Book(id: 1, title: "The Dispossessed", year: 1974, author: Related("le-guin"))
///     let failures = EntityConformance.check([
///         book,
///         Book(id: 1, title: "Planet der Habenichtse", year: book.year, author: book.author),
///         Book(id: 1, title: book.title, year: nil, author: book.author),
///         Book(id: 1, title: book.title, year: 1975, author: book.author),
///         Book(id: 1, title: book.title, year: book.year, author: Related("lem")),
///     ])
///     #expect(failures.isEmpty, "\(failures)")
/// }
/// ```
///
/// The check reads stored properties through `Mirror`, so it needs no code in the model. It
/// compares samples in pairs, and can judge a property only if two samples with the same identifier
/// differ in that property and in no other one. A property without such a pair is a failure, too:
/// so a new property can't be forgotten in the test either.
public enum EntityConformance {
    /// A requirement on an entity.
    public enum Requirement: String, CaseIterable, Hashable, Sendable {
        /// Two samples differ in the property alone.
        case samplesVaryProperty

        /// `merged(with:)` returns a value with the same identifier.
        case mergeKeepsIdentifier

        /// Merging a value with itself doesn't change it.
        case mergeWithItselfChangesNothing

        /// If one of two values is `nil`, `merged(with:)` keeps the other one, whether it is the
        /// older or the newer one. For a `Known` property, this holds if one of them is unknown.
        case mergeKeepsKnownValues

        /// If two values differ, `merged(with:)` doesn't keep the older one in both orders. A null
        /// of a `Known` property replaces an older value.
        case mergeTakesNewerValues

        /// `==` returns `false` for samples that differ in the property.
        case equalityComparesProperty

        /// `relatedCacheKeys` contains the key of each `Related` in the property, also
        /// of those in optionals and collections.
        case relatedCacheKeysListsRelationship
    }

    /// A requirement that an entity doesn't meet.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The requirement.
        public let requirement: Requirement

        /// The name of the stored property, or `nil` if the failure is about the whole value.
        public let property: String?

        /// The explanation: the type, the property, and the samples.
        public let description: String
    }

    /// Checks the conformances of a model.
    ///
    /// ```swift
    /// import FlatCacheTesting
    ///
    /// let failures = EntityConformance.check([
    ///     Author(id: "le-guin", name: "Le Guin"),
    ///     Author(id: "le-guin", name: "Ursula K. Le Guin"),
    /// ])
    /// for failure in failures { print(failure.requirement, failure.property ?? "") }
    /// ```
    ///
    /// - Parameters:
    ///   - samples: Values of the model. For each stored property but the identifier, two of them
    ///     differ in that property alone; for each optional property, one of them is `nil`, and for
    ///     each `Known` property, one of them is unknown and one is null.
    ///   - properties: The names of the properties that aren't checked, because the model leaves
    ///     them out on purpose.
    /// - Returns: The failures, at most one for each requirement and property; an empty array if
    ///   the model meets all requirements.
    /// - Complexity: O(*n*² · *p*) in the number of samples and of properties.
    public static func check<Entity: Identifiable & Sendable>(
        _ samples: [Entity],
        ignoring properties: Set<String> = []
    ) -> [Failure] where Entity.ID: Sendable {
        var check = EntityCheck(samples, ignoring: properties)
        return check.run()
    }
}
