// Added to FerretDB's package of this name: SQLite leaves out documents that a filter excludes, as an index of MongoDB does.
// Without it FerretDB 1.24 decodes the whole collection for each find of a read model. It filters what is left once more, so
// these conditions may let too many documents pass, but none too few.
package sqlite

import (
	"fmt"
	"strings"

	"github.com/FerretDB/FerretDB/internal/backends/sqlite/metadata"
	"github.com/FerretDB/FerretDB/internal/types"
	"github.com/FerretDB/FerretDB/internal/util/must"
)

// Of JSON texts: a list, whose elements MongoDB compares, and a text that sorts otherwise than the string that it encodes.
const (
	isList = `%[1]s GLOB '[[]*'`
	isOdd  = `%[1]s GLOB '*[\ !]*'`
)

var comparisons = map[string]string{"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}

// conditions returns what SQLite can check of `{ $and: [{ field: … }, …] }`, the form of the read models' finds.
func conditions(filter *types.Document) (string, []any) {
	all, _ := filter.Get("$and")
	list, ok := all.(*types.Array)
	if !ok || filter.Len() != 1 {
		return "", nil
	}
	found, args := []string{}, []any{}
	for i := 0; i < list.Len(); i++ {
		one, ok := must.NotFail(list.Get(i)).(*types.Document)
		if !ok || one.Len() != 1 {
			continue
		}
		if field := column(one.Keys()[0]); field != "" {
			if condition, arg := conditionOf(field, one.Values()[0]); condition != "" {
				found, args = append(found, condition), append(args, arg)
			}
		}
	}
	if len(found) == 0 {
		return "", nil
	}
	return ` WHERE ` + strings.Join(found, ` AND `), args
}

// column is empty for fields of which it is not known that a read model has no list on the way to them.
func column(path string) string {
	name, isField := strings.CutPrefix(path, "doc.")
	if path == "live" {
		return metadata.DefaultColumn + `->'live'`
	}
	if !isField || strings.ContainsAny(name, `.'`) {
		return ""
	}
	return metadata.DefaultColumn + `->'doc'->'` + name + `'`
}

func conditionOf(field string, asked any) (string, any) {
	if is, ok := asked.(bool); ok {
		return fmt.Sprintf(`(%[1]s = ? OR `+isList+`)`, field), fmt.Sprint(is)
	}
	comparison, ok := asked.(*types.Document)
	if !ok || comparison.Len() != 1 {
		return "", nil
	}
	operator, value := comparison.Keys()[0], comparison.Values()[0]
	if s, ok := value.(string); ok && operator == "$eq" {
		return fmt.Sprintf(`(%[1]s = ? OR `+isList+`)`, field), text(s)
	}
	sign, ok := comparisons[operator]
	if !ok {
		return "", nil
	}
	switch value := value.(type) {
	case string:
		if bound := text(value); !strings.ContainsAny(bound, `\ !`) {
			return fmt.Sprintf(`(%[1]s %[2]s ? OR `+isList+` OR `+isOdd+`)`, field, sign), bound
		}
	case int32, int64, float64:
		// Texts that are no numbers are 0 here.
		return fmt.Sprintf(`(CAST(%[1]s AS REAL) %[2]s ? OR `+isList+`)`, field, sign), value
	}
	return "", nil
}
