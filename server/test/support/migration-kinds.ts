/**
 * Which statements a migration of each kind may contain. The statements are parsed by PostgreSQL's own parser
 * (libpg-query). What is not listed here is not allowed.
 */
import { loadModule, parseSync } from 'libpg-query'
import type { Migration } from '../../src/database/migrations/program.ts'

/** A node of the syntax tree: its type, and its fields. */
// biome-ignore lint/suspicious/noExplicitAny: the trees have hundreds of types
type Node = any

await loadModule()

const typed = (node: Node): [string, Node] => Object.entries(node)[0] as [string, Node]
const tableOf = ({ relation }: Node): string => relation.relname
const namesIn = (list: Node[]): string[] => list.map((each) => each.String.sval)

/** What earlier migrations have done that later ones build on. */
type History = {
  /** Columns that were added since the last release: `table.column`. */
  added: Set<string>
  /** Check constraints of the form `column is not null`: their table and name, and the column. */
  notNull: Map<string, string>
  validated: Set<string>
}

/** The state of one migration. */
type Context = {
  history: History
  /** Tables that it creates: no other transaction sees them. */
  created: Set<string>
  /** Constraints that it drops, and those that it adds as not valid: `table.name`. */
  dropped: Set<string>
  replaced: Set<string>
  /** Existing tables that it locks. */
  locked: Set<string>
}

type Rule = (statement: Node, context: Context) => string | undefined

const isConstant = (node: Node): boolean =>
  'A_Const' in node || ('TypeCast' in node && isConstant(node.TypeCast.arg))

const NEEDS_SCAN = new Set([
  'CONSTR_UNIQUE',
  'CONSTR_PRIMARY',
  'CONSTR_FOREIGN',
  'CONSTR_CHECK',
  'CONSTR_GENERATED',
])

function addColumn(table: string, { ColumnDef: column }: Node, { history }: Context): string | undefined {
  const parts: Node[] = (column.constraints ?? []).map((each: Node) => each.Constraint)
  const given = parts.find(({ contype }) => contype === 'CONSTR_DEFAULT')
  if (parts.some(({ contype }) => NEEDS_SCAN.has(contype) || contype === 'CONSTR_IDENTITY'))
    return `the column ${column.colname} has a constraint of its own: add it as NOT VALID`
  if (given && !isConstant(given.raw_expr)) return `the default of ${column.colname} is not a constant`
  if (!given && parts.some(({ contype }) => contype === 'CONSTR_NOTNULL'))
    return `the column ${column.colname} is NOT NULL without a default`
  history.added.add(`${table}.${column.colname}`)
  return undefined
}

/** The column of `check (column is not null)`. */
function notNullColumn({ raw_expr: expression }: Node): string | undefined {
  const test = expression?.NullTest
  return test?.nulltesttype === 'IS_NOT_NULL' ? test.arg?.ColumnRef?.fields.at(-1).String.sval : undefined
}

function addConstraint(table: string, { Constraint: made }: Node, context: Context): string | undefined {
  if (!['CONSTR_CHECK', 'CONSTR_FOREIGN'].includes(made.contype))
    return 'a unique constraint of an existing table needs an index that was created concurrently'
  if (!made.skip_validation) return `the constraint ${made.conname} is not NOT VALID`
  context.replaced.add(`${table}.${made.conname}`)
  const column = notNullColumn(made)
  if (column) context.history.notNull.set(`${table}.${made.conname}`, column)
  return undefined
}

type Command = { subtype: string; name?: string; def?: Node }

function expandTable(table: string, { subtype, name, def }: Command, context: Context): string | undefined {
  if (subtype === 'AT_AddColumn') return addColumn(table, def, context)
  if (subtype === 'AT_AddConstraint') return addConstraint(table, def, context)
  if (subtype === 'AT_DropNotNull' || subtype === 'AT_SetStatistics') return undefined
  if (subtype === 'AT_ColumnDefault' && def && isConstant(def)) return undefined
  if (subtype !== 'AT_DropConstraint') return `${subtype} is not allowed`
  context.dropped.add(`${table}.${name}`)
  return undefined
}

function contractTable(table: string, { subtype, name, def }: Command, { history }: Context) {
  if (subtype === 'AT_DropColumn' || subtype === 'AT_DropConstraint' || subtype === 'AT_ColumnDefault')
    return undefined
  if (subtype === 'AT_AddConstraint' && def.Constraint.indexname) return undefined
  if (subtype === 'AT_ValidateConstraint') {
    history.validated.add(`${table}.${name}`)
    return undefined
  }
  if (subtype !== 'AT_SetNotNull') return `${subtype} is not allowed`
  const isValid = [...history.notNull].some(
    ([constraint, column]) =>
      constraint.startsWith(`${table}.`) && column === name && history.validated.has(constraint),
  )
  return isValid
    ? undefined
    : `no validated CHECK (${name} IS NOT NULL) spares SET NOT NULL a scan of ${table}`
}

const alter =
  (rule: (table: string, command: Command, context: Context) => string | undefined): Rule =>
  (statement, context) => {
    const table = tableOf(statement)
    if (context.created.has(table)) return undefined
    if (statement.objtype === 'OBJECT_INDEX') return undefined
    context.locked.add(table)
    const commands: Command[] = statement.cmds.map((each: Node) => each.AlterTableCmd)
    return commands.map((command) => rule(table, command, context)).find(Boolean)
  }

/** `isUniqueAllowed` of an index on columns that earlier versions write. */
const createIndex =
  (isUniqueAllowed: boolean): Rule =>
  (statement, { created, history }) => {
    const table = tableOf(statement)
    if (created.has(table)) return undefined
    if (!statement.concurrent || !statement.if_not_exists)
      return `the index ${statement.idxname} is not created with CONCURRENTLY IF NOT EXISTS`
    const isNew = statement.indexParams.some((each: Node) =>
      history.added.has(`${table}.${each.IndexElem.name}`),
    )
    if (statement.unique && !isUniqueAllowed && !isNew)
      return `the unique index ${statement.idxname} refuses rows that the version before writes`
    return undefined
  }

const DROPPED = ['OBJECT_TABLE', 'OBJECT_TRIGGER', 'OBJECT_FUNCTION']

const drop: Rule = ({ removeType, concurrent, missing_ok: isRepeatable, objects }, { locked }) => {
  if (removeType === 'OBJECT_INDEX')
    return concurrent && isRepeatable ? undefined : 'an index is not dropped with CONCURRENTLY IF EXISTS'
  if (!DROPPED.includes(removeType)) return `DROP of ${removeType} is not allowed`
  if (removeType === 'OBJECT_TRIGGER') locked.add(namesIn(objects[0].List.items)[0]!)
  return undefined
}

const allow: Rule = () => undefined

const EXPAND: Record<string, Rule> = {
  CreateStmt: (statement, { created }) => {
    created.add(tableOf(statement))
    return undefined
  },
  IndexStmt: createIndex(false),
  AlterTableStmt: alter(expandTable),
  CreateFunctionStmt: allow,
  CreateTrigStmt: (statement, { created, locked }) => {
    if (!created.has(tableOf(statement))) locked.add(tableOf(statement))
    return undefined
  },
}

const CONTRACT: Record<string, Rule> = {
  AlterTableStmt: alter(contractTable),
  IndexStmt: createIndex(true),
  DropStmt: drop,
  CreateFunctionStmt: allow,
}

/** Whether a condition, or one that is joined to it by AND, is `column between $1 and $2`. */
function hasBounds(condition: Node, column: string): boolean {
  const [type, node] = typed(condition ?? { None: {} })
  if (type === 'BoolExpr' && node.boolop === 'AND_EXPR')
    return node.args.some((each: Node) => hasBounds(each, column))
  if (type !== 'A_Expr' || node.kind !== 'AEXPR_BETWEEN') return false
  const bounds = node.rexpr.List.items.map((each: Node) => each.ParamRef?.number)
  return node.lexpr.ColumnRef?.fields.at(-1).String.sval === column && bounds.join() === '1,2'
}

function fillFaults({ key, statements }: Migration, trees: Node[]): string[] {
  if (!key) return ['the comment has no line "-- key: table.column"']
  if (statements.length !== 1) return ['it has more than one statement']
  const [type, node] = typed(trees[0])
  if (!['UpdateStmt', 'DeleteStmt', 'InsertStmt'].includes(type)) return [`${type} is not allowed`]
  const { whereClause, fromClause } = type === 'InsertStmt' ? (node.selectStmt?.SelectStmt ?? {}) : node
  const [source] = type === 'InsertStmt' ? (fromClause ?? []) : [{ RangeVar: node.relation }]
  if (source?.RangeVar?.relname !== key.table) return [`it does not follow the table ${key.table}`]
  return hasBounds(whereClause, key.column) ? [] : [`its condition lacks "${key.column} BETWEEN $1 AND $2"`]
}

function faultsOf(migration: Migration, history: History): string[] {
  const trees: Node[] = migration.statements.flatMap((text) => {
    const { stmts } = parseSync(text) as { stmts: { stmt: Node }[] }
    return stmts.length === 1 ? [stmts[0]!.stmt] : [{ Several: {} }]
  })
  if (trees.some((tree) => 'Several' in tree)) return ['a part between breakpoints is not one statement']
  if (migration.kind === 'fill') return fillFaults(migration, trees)
  const rules = migration.kind === 'expand' ? EXPAND : CONTRACT
  const sets = () => new Set<string>()
  const context: Context = { history, created: sets(), dropped: sets(), replaced: sets(), locked: sets() }
  const faults = trees.flatMap((tree) => {
    const [type, node] = typed(tree)
    return (rules[type] ? rules[type](node, context) : `${type} is not allowed`) ?? []
  })
  const isOnline = (tree: Node) => {
    const [, node] = typed(tree)
    return node.concurrent || node.cmds?.[0].AlterTableCmd.subtype === 'AT_ValidateConstraint'
  }
  const online = trees.filter(isOnline).length
  if (online > 0 && online < trees.length)
    faults.push('statements that run outside a transaction need a migration of their own')
  if (migration.isOnline !== online > 0) faults.push('a word makes it run outside a transaction')
  if (context.locked.size > 1) faults.push(`it locks several tables: ${[...context.locked].join(', ')}`)
  if (migration.kind === 'expand')
    for (const name of context.dropped)
      if (!context.replaced.has(name)) faults.push(`the constraint ${name} is dropped and not added again`)
  return faults
}

/** The faults of the migrations, in their order, each with the name of its migration. */
export function kindFaults(migrations: Migration[], releases: number[] = []): string[] {
  const history: History = { added: new Set(), notNull: new Map(), validated: new Set() }
  return migrations.flatMap((migration) => {
    const { number, name, kind, effect } = migration
    if (releases.some((newest) => newest === number - 1)) history.added.clear()
    if (kind === 'init') return number === 0 ? [] : [`${name}: only the first migration creates everything`]
    const faults = faultsOf(migration, history)
    if (effect === 'Creates the tables.') faults.push('it begins without a comment that says what it does')
    return faults.map((fault) => `${name}: ${fault}`)
  })
}
