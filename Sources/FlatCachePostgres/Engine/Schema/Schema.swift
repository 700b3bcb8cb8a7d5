#if canImport(CPostgres)
import FlatCacheRows

/// The SQLSTATEs that the functions of the schema raise.
enum SchemaError {
    /// The write has been committed or withdrawn before.
    static let alreadyRecorded = "FC001"
    /// A row doesn't have the version that the write expects.
    static let conflict = "FC002"
    /// The history isn't the one that the write's reads belong to.
    static let otherHistory = "FC003"
}

/// The names and the statements of a graph's schema.
///
/// The schema has one table per type, the log of the changes, one row that describes the history,
/// and functions that make the statements of a write fail. Own names begin with an underscore, and
/// those of types don't.
struct Schema: Sendable {
    /// The version of the schema.
    static let version = 1
    /// The number of the advisory lock under which the schema is created and changed.
    static let creationLock: Int64 = 0x464C_4154_4341_4348
    /// The number of the advisory lock of the node that cleans the log.
    static let cleaningLock = creationLock + 1

    /// The name of the schema.
    let plainName: String

    /// The quoted name of the schema, and of the channel of its notifications.
    var name: String { "\"\(plainName)\"" }

    init(_ name: String) {
        precondition(
            Self.isName(name),
            """
            A schema can't have the name "\(name)": use a lowercase letter, and then up to 47 \
            lowercase letters, digits and underscores.
            """
        )
        plainName = name
    }

    /// Returns the name of the trigger of a watched table for an event.
    func trigger(_ event: String, type: String) -> String { "_\(event)_\(plainName)_\(type)" }

    /// Returns the quoted name of a type's table.
    func table(_ name: String) -> String { "\(self.name).\"\(name)\"" }

    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 48 else { return false }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return letters.contains(first)
            && name.utf8.allSatisfy {
                letters.contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// The statements that create the schema, if it doesn't exist, without the tables of types.
    ///
    /// The functions set no search path, which would take a tenth of a write: the connections of a
    /// graph have an empty one.
    var creation: String {
        """
        CREATE SCHEMA IF NOT EXISTS \(name);
        CREATE SEQUENCE IF NOT EXISTS \(name)._versions AS bigint;
        CREATE TABLE IF NOT EXISTS \(name)._history (
            is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
            schema_version int NOT NULL,
            incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
            system text NOT NULL,
            timeline text NOT NULL,
            deleted xid8 NOT NULL DEFAULT '0'
        );
        CREATE TABLE IF NOT EXISTS \(name)._log (
            xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
            write uuid NOT NULL,
            type text COLLATE "C" NOT NULL,
            stored text[],
            removed text[],
            written timestamptz NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (write, type)
        );
        CREATE INDEX IF NOT EXISTS _log_xid ON \(name)._log (xid);
        CREATE INDEX IF NOT EXISTS _log_written ON \(name)._log (written);
        CREATE TABLE IF NOT EXISTS \(name)._horizons (
            taken timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
            xid xid8 NOT NULL
        );
        CREATE OR REPLACE FUNCTION \(name)._record(
            given_incarnation uuid, given_write uuid, given_type text,
            given_stored text[], given_removed text[]
        ) RETURNS xid8 LANGUAGE plpgsql AS $body$
        BEGIN
            INSERT INTO \(name)._log (write, type, stored, removed)
                SELECT given_write, given_type, given_stored, given_removed
                FROM \(name)._history
                -- A dump that has replaced the schema has the incarnation of the former one.
                WHERE incarnation = given_incarnation AND system LIKE '%.' || tableoid
                ON CONFLICT DO NOTHING;
            IF FOUND THEN RETURN pg_current_xact_id(); END IF;
            PERFORM 1 FROM \(name)._log WHERE write = given_write AND type = given_type;
            IF FOUND THEN
                RAISE EXCEPTION USING ERRCODE = '\(SchemaError.alreadyRecorded)',
                    MESSAGE = 'The write is recorded already.';
            END IF;
            RAISE EXCEPTION USING ERRCODE = '\(SchemaError.otherHistory)',
                MESSAGE = 'The database was restored or has failed over.';
        END $body$;
        CREATE OR REPLACE FUNCTION \(name)._resolve(
            given_incarnation uuid, given_write uuid, given_type text
        ) RETURNS xid8 LANGUAGE plpgsql AS $body$
        BEGIN
            PERFORM \(name)._record(given_incarnation, given_write, given_type, '{}', '{}');
            UPDATE \(name)._log SET written = '-infinity'
                WHERE write = given_write AND type = given_type;
            RETURN NULL;
        EXCEPTION WHEN SQLSTATE '\(SchemaError.alreadyRecorded)' THEN
            -- A withdrawal whose answer was lost isn't a committed write.
            RETURN (SELECT xid FROM \(name)._log
                WHERE write = given_write AND type = given_type AND written > '-infinity');
        END $body$;
        CREATE OR REPLACE FUNCTION \(name)._watch(
            given_type text, given_stored text[], given_removed text[]
        ) RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            IF given_stored IS NULL AND given_removed IS NULL THEN RETURN; END IF;
            INSERT INTO \(name)._log (write, type, stored, removed) VALUES (
                gen_random_uuid(), given_type,
                CASE WHEN cardinality(given_stored) > \(LogRecord.keyLimit) THEN NULL
                    ELSE coalesce(given_stored, '{}') END,
                CASE WHEN cardinality(given_removed) > \(LogRecord.keyLimit) THEN NULL
                    ELSE coalesce(given_removed, '{}') END);
        END $body$;
        CREATE OR REPLACE FUNCTION \(name)._expect(changed bigint, expected bigint)
        RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            IF changed <> expected THEN
                RAISE EXCEPTION USING ERRCODE = '\(SchemaError.conflict)',
                    MESSAGE = 'Another write has changed the rows.';
            END IF;
        END $body$;
        INSERT INTO \(name)._history (schema_version, system, timeline)
            SELECT \(Self.version), \(system), \(Self.timeline)
            ON CONFLICT DO NOTHING;

        """
    }

    /// The expression that identifies the cluster, the database and the table of the history.
    ///
    /// A dump that is restored into the same cluster changes one of the latter two.
    var system: String {
        """
        concat_ws('.', (SELECT system_identifier FROM pg_control_system()), \
        (SELECT oid FROM pg_database WHERE datname = current_database()), \
        '\(name)._history'::regclass::oid)
        """
    }

    /// The expression of the cluster's timeline.
    ///
    /// The control file shows the former timeline for a while after a promotion.
    static let timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

    func creation(ofTable table: String, identifier: IdentifierColumn) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(self.table(table)) (
            id \(identifier.definition) PRIMARY KEY,
            version bigint NOT NULL,
            form int NOT NULL,
            value jsonb NOT NULL
        );

        """
    }

    /// The statements that grant a role what a node needs, and not the creation of tables.
    func grants(to role: String, tables: [String]) -> String {
        let role = role.quoted("\"")
        let own = ["_log", "_horizons"] + tables.map { "\"\($0)\"" }
        return """
            GRANT USAGE ON SCHEMA \(name) TO \(role);
            GRANT USAGE ON SEQUENCE \(name)._versions TO \(role);
            GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(name) TO \(role);
            GRANT SELECT, UPDATE ON \(name)._history TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON \
            \(own.map { "\(name).\($0)" }.joined(separator: ", ")) TO \(role);

            """
    }

    /// The statements that make a table of the service record its changes.
    ///
    /// Each statement that changes rows adds one record. More than 10,000 rows count as all. The
    /// partitions of the table get triggers, too: those of the table see no statements that name a
    /// partition.
    func triggers(type: String, table: String, id: String) -> String {
        let column = id.quoted("\"")
        // One identifier above the limit makes the record concern any row.
        func ids(_ rows: String) -> String {
            """
            (SELECT array_agg(id) FROM \
            (SELECT \(column)::text AS id FROM \(rows) LIMIT \(LogRecord.keyLimit + 1)) AS listed)
            """
        }
        func trigger(_ event: String, _ time: String, _ relations: String) -> String {
            let trigger = "\"\(self.trigger(event, type: type))\""
            let table = "'" + table.replacing("'", with: "''") + "'::regclass"
            return """
                DO $body$
                DECLARE part regclass;
                BEGIN
                    FOR part IN SELECT \(table) UNION SELECT relid FROM pg_partition_tree(\(table))
                    LOOP
                        EXECUTE format('DROP TRIGGER IF EXISTS \(trigger) ON %s', part);
                        EXECUTE format('CREATE TRIGGER \(trigger) \(time) ON %s \(relations) '
                            'FOR EACH STATEMENT EXECUTE FUNCTION \(name)._\(type)_\(event)()', part);
                    END LOOP;
                END $body$;

                """
        }
        let functions = [
            ("insert", "INSERT", "new_rows", nil), ("update", "UPDATE", "new_rows", "old_rows"),
            ("delete", "DELETE", nil, "old_rows"),
        ].map { (event, keyword, new: String?, old: String?) in
            let function = "\(name)._\(type)_\(event)"
            let stored = new.map(ids) ?? "NULL::text[]"
            // The former identifiers of rows whose identifiers a statement has changed are removed.
            let removed =
                old.map { old in
                    ids(
                        new.map {
                            """
                            \(old) WHERE NOT EXISTS (SELECT 1 FROM \($0) \
                            WHERE \($0).\(column)::text = \(old).\(column)::text)
                            """
                        } ?? old
                    )
                } ?? "NULL::text[]"
            let relations = [old.map { "OLD TABLE AS \($0)" }, new.map { "NEW TABLE AS \($0)" }]
                .compactMap(\.self).joined(separator: " ")
            return """
                CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger
                LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
                BEGIN
                    PERFORM \(name)._watch('\(type)', \(stored), \(removed));
                    RETURN NULL;
                END $body$;
                \(trigger(event, "AFTER \(keyword)", "REFERENCING \(relations)"))
                """
        }
        return """
            CREATE OR REPLACE FUNCTION \(name)._\(type)_truncate() RETURNS trigger
            LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
            BEGIN
                INSERT INTO \(name)._log (write, type, stored, removed)
                    VALUES (gen_random_uuid(), '\(type)', '{}', NULL);
                RETURN NULL;
            END $body$;
            \(trigger("truncate", "AFTER TRUNCATE", ""))
            """ + functions.joined()
    }
}
#endif
