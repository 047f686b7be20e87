// Books through the package that oapi-codegen has generated in the folder waymark.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"client/waymark"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

func main() {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("x-api-key", os.Getenv("KEY"))
		return nil
	}
	client, err := waymark.NewClientWithResponses(os.Getenv("URL"), waymark.WithRequestEditorFn(withKey))
	check(err)
	day, err := time.Parse(time.DateOnly, os.Getenv("DATE"))
	check(err)

	booked := book(client, os.Getenv("ACTIVITY"), day)
	if booked.JSON200 == nil {
		log.Fatalf("no booking: %s", booked.Body)
	}
	booking, err := booked.JSON200.Data.AsBooking()
	check(err)
	read, err := client.GetBookingWithResponse(context.Background(), booking.BookingId, nil)
	check(err)
	refused := book(client, "nothing", day)
	if read.JSON200 == nil || refused.JSON404 == nil {
		log.Fatalf("%s %s", read.Body, refused.Body)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"booking_id": booking.BookingId,
		"status":     read.JSON200.Data.Status,
		"total":      read.JSON200.Data.Pricing.Total,
		"refusal":    refused.JSON404.Code,
	}))
}

func book(client *waymark.ClientWithResponses, activity string, day time.Time) *waymark.ExecuteBookingResponse {
	key := fmt.Sprintf("trip-42-%s", activity)
	answer, err := client.ExecuteBookingWithResponse(
		context.Background(),
		&waymark.ExecuteBookingParams{IdempotencyKey: &key},
		waymark.ExecuteBookingJSONRequestBody{
			ActivityId:  activity,
			UserName:    "Ada Lovelace",
			UserEmail:   "ada@example.com",
			BookingDate: openapi_types.Date{Time: day},
			NumAdults:   2,
		},
	)
	check(err)
	return answer
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
