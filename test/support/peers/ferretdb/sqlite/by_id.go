// Added to FerretDB's package of this name: what a query asks of `_id` is looked up in the index, as MongoDB does.
// Without it FerretDB 1.24 decodes every document of the collection (about 1 ms each) for any filter other than one id.
package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/FerretDB/FerretDB/internal/backends"
	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/handler/sjson"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/fsql"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

// PageByID is the comment of a query that is sorted by `_id` alone, upwards, and filtered by nothing else.
const PageByID = "page by _id"

// clauses returns what follows the SELECT. The documents may be more than the filter matches: FerretDB filters them.
func clauses(ctx context.Context, db *fsql.DB, name, table string, params *backends.QueryParams) (string, []any) {
	asked, _ := params.Filter.Get("_id")
	switch id := asked.(type) {
	case string, types.ObjectID:
		return fmt.Sprintf(` WHERE %s = ?`, metadata.IDColumn), []any{text(id)}
	case *types.Document:
		if in, _ := id.Get("$in"); in != nil {
			if ids := textsIn(in.(*types.Array)); len(ids) > 0 {
				marks := strings.TrimSuffix(strings.Repeat("?,", len(ids)), ",")
				return fmt.Sprintf(` WHERE %s IN (%s)`, metadata.IDColumn, marks), ids
			}
		}
	}
	if params.Comment == PageByID {
		if !inOrder(ctx, db, name, table) {
			return "", nil
		}
		where, args := "", []any{}
		if id, ok := asked.(*types.Document); ok {
			after := must.NotFail(id.Get("$gt"))
			where, args = fmt.Sprintf(` WHERE %s > ?`, metadata.IDColumn), []any{text(after)}
		}
		return fmt.Sprintf(`%s ORDER BY %s LIMIT ?`, where, metadata.IDColumn), append(args, params.Limit)
	}
	clause, args := conditions(params.Filter)
	clause += prepareOrderByClause(params.Sort)
	if params.Limit != 0 {
		clause, args = clause+` LIMIT ?`, append(args, params.Limit)
	}
	return clause, args
}

// What is known of tables, by database and table: whether the index holds their ids in the order of their characters.
// As JSON an id ends with a quotation mark, and a character that is escaped begins with a backslash.
var ordered sync.Map

func inOrder(ctx context.Context, db *fsql.DB, name, table string) bool {
	key := name + "/" + table
	if known, ok := ordered.Load(key); ok {
		return known.(bool)
	}
	odd := fmt.Sprintf(`SELECT count(*) FROM %q WHERE %s GLOB '*[\ !]*'`, table, metadata.IDColumn)
	var count int
	if db.QueryRowContext(ctx, odd).Scan(&count) != nil {
		return false
	}
	ordered.Store(key, count == 0)
	return count == 0
}

// inserting keeps what is known: documents come to a table in no other way, and their ids do not change.
func inserting(name, table string, docs []*types.Document) {
	for _, doc := range docs {
		if id, _ := doc.Get("_id"); id == nil || strings.ContainsAny(text(id), `\ !`) {
			ordered.Store(name+"/"+table, false)
		}
	}
}

func text(value any) string {
	return string(must.NotFail(sjson.MarshalSingleValue(value)))
}

func textsIn(ids *types.Array) []any {
	texts := []any{}
	for i := 0; i < ids.Len(); i++ {
		id, ok := must.NotFail(ids.Get(i)).(string)
		if !ok {
			return nil
		}
		texts = append(texts, text(id))
	}
	return texts
}
