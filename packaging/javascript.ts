/** TypeScript sources as JavaScript, with the same lines and columns. */
import { stripTypeScriptTypes } from 'node:module'
import ts from 'typescript'

/**
 * Types become spaces. An import of a `.ts` file becomes one of the `.js` file, which has the same length.
 */
export function javascriptOf(source: string, name: string): string {
  const stripped = stripTypeScriptTypes(source)
  const parsed = ts.createSourceFile(name, stripped, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const edits: number[] = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier && /^\.{1,2}\/.*\.ts$/.test(specifier.text)) edits.push(specifier.getEnd())
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  let text = stripped
  for (const end of edits) text = `${text.slice(0, end - 3)}js${text.slice(end - 1)}`
  return text
}

/** The module that a node imports: `import`, `export … from` or `import()` with a literal. */
function specifierOf(node: ts.Node): ts.StringLiteral | undefined {
  const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  const given = isDeclaration ? node.moduleSpecifier : isCall ? node.arguments[0] : undefined
  return given && ts.isStringLiteral(given) ? given : undefined
}
