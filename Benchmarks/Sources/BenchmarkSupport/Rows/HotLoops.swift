// The measured loops. Each is a function of its own, so that a profiler shows it under its name,
// and is specialized for each subject.

/// Reads values by their identifiers.
@inline(never)
func readAll<Subject: CacheSubject>(_ subject: Subject, _ ids: [Subject.Value.ID]) {
    for id in ids { blackHole(subject.get(id)) }
}

/// Reads values through handles.
///
/// In this generic function, a variable for each handle would live during the call of `blackHole`.
/// In code that names its types, a handle lives until its last use, as it does here.
@inline(never)
func readAll<Subject: CacheSubject>(_ subject: Subject, through handles: [Subject.Handle]) {
    for index in handles.indices { blackHole(subject.read(handles[index])) }
}

/// Stores values one by one.
@inline(never)
func setAll<Subject: CacheSubject>(_ subject: Subject, _ values: [Subject.Value]) {
    for value in values { subject.set(value) }
}

/// Reads one value repeatedly.
@inline(never)
func readAgain(_ subject: some PropertySubject, _ count: Int) {
    for _ in 0..<count { blackHole(subject.value) }
}
