// The loops that are measured. Each is a function of its own, so that a profiler shows it under its
// name, and is specialized for each subject.

/// Reads values by their identifiers.
@inline(never)
func readAll<Subject: CacheSubject>(_ subject: Subject, _ ids: [Subject.Value.ID]) {
    for id in ids { blackHole(subject.get(id)) }
}

/// Reads values through what a client keeps to read them.
@inline(never)
func readAll<Subject: CacheSubject>(_ subject: Subject, through handles: [Subject.Handle]) {
    for handle in handles { blackHole(subject.read(handle)) }
}

/// Stores values one by one.
@inline(never)
func setAll<Subject: CacheSubject>(_ subject: Subject, _ values: [Subject.Value]) {
    for value in values { subject.set(value) }
}

/// Reads one value again and again.
@inline(never)
func readAgain(_ subject: some PropertySubject, _ count: Int) {
    for _ in 0..<count { blackHole(subject.value) }
}
