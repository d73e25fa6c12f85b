#!/bin/sh
sudo throttle --profile 3gslow
