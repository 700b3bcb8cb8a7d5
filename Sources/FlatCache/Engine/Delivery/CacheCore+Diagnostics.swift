/// A problem that a cache reports once for each type.
struct ReportedProblem: Hashable {
    enum Kind { case shortForm, undecodableReference, plainEntity }

    let kind: Kind
    let type: ObjectIdentifier

    init(_ kind: Kind, of type: Any.Type) {
        self.kind = kind
        self.type = ObjectIdentifier(type)
    }
}

extension CacheCore {
    /// Reports a problem, unless it has been reported.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - key: The key of the entity that the problem concerns.
    ///   - message: What has happened, and what to do about it.
    func report(
        _ problem: ReportedProblem,
        of key: CacheKey,
        _ message: @autoclosure () -> String
    ) {
        guard reportedProblems.withLock({ $0.insert(problem).inserted }) else { return }
        let diagnostic = CacheDiagnostic(key: key, message: message())
        deliver(
            through: deliveryQueue.append([.action { [onDiagnostic] in onDiagnostic(diagnostic) }])
        )
    }
}
