"""Books through the package that openapi-python-client has generated beside this file."""

import datetime
import json
import os

from waymark_client import AuthenticatedClient
from waymark_client.api.bookings import execute_booking, get_booking
from waymark_client.models import Booking, Error, ExecuteBookingBody

client = AuthenticatedClient(
    base_url=os.environ["URL"], token=os.environ["KEY"], prefix="", auth_header_name="x-api-key"
)


def book(activity_id: str, idempotency_key: str):
    wish = ExecuteBookingBody(
        activity_id=activity_id,
        user_name="Ada Lovelace",
        user_email="ada@example.com",
        booking_date=datetime.date.fromisoformat(os.environ["DATE"]),
        num_adults=2,
    )
    return execute_booking.sync(client=client, body=wish, idempotency_key=idempotency_key)


booked = book(os.environ["ACTIVITY"], "trip-42").data
assert isinstance(booked, Booking)
read = get_booking.sync(booked.booking_id, client=client).data
refused = book("nothing", "trip-43")
assert isinstance(refused, Error)
print(
    json.dumps(
        {
            "booking_id": booked.booking_id,
            "status": str(read.status),
            "total": read.pricing.total,
            "refusal": str(refused.code),
        }
    )
)
